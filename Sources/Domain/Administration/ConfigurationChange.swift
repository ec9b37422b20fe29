package import AuthorizationCore
package import Primitives

/// One change of a tenant's configuration by somebody: what is written and what is recorded of it are one.
struct ConfigurationChange {
    enum Action: String { case created, changed, removed }

    let transaction: any ConfigurationTransaction
    let context: AdministrativeContext

    var tenant: TenantID { context.tenant }
    var now: Timestamp { context.now }

    /// Appends to the audit log. `fields` are names of what is different, never values.
    func record(
        _ action: Action, _ kind: ObjectKind, _ id: String, fields: [String] = [], user: UserID? = nil,
        as event: AuditEvent.Kind = .changed
    ) throws {
        try transaction.record(
            context.event(
                event, of: AuditEvent.Object(kind.rawValue, id), changed: fields, user: user,
                details: ["action": .string(action.rawValue)]))
    }

    /// Records what is different between two documents of an object; nothing where nothing is.
    func record(_ kind: ObjectKind, _ id: String, from old: JSONObject, to new: JSONObject) throws {
        let fields = new.differences(from: old)
        if !fields.isEmpty { try record(.changed, kind, id, fields: fields) }
    }
}

/// Who asks for a change, of which tenant, and when.
package struct AdministrativeContext: Sendable {
    package let tenant: TenantID
    package let actor: AuditEvent.Actor
    /// Scopes of the Management API that a client asks with. Others, at the command line, need none.
    private let managementScopes: Set<String>
    /// The peer's address, where there is one.
    package let remoteAddress: String?
    package let now: Timestamp
    /// The request that the context came with: a store works on threads that know of none.
    private let request = RequestTrace.current

    package init(
        tenant: TenantID, actor: AuditEvent.Actor, managementScopes: Set<String> = [], remoteAddress: String? = nil,
        now: Timestamp
    ) {
        self.tenant = tenant
        self.actor = actor
        self.managementScopes = managementScopes
        self.remoteAddress = remoteAddress
        self.now = now
    }

    /// Refuses an action that gives somebody scopes of the Management API which the one who asks has not. A token may
    /// be good for less than its client was granted: the token counts.
    func requireOwn(_ scopes: Set<String>, to action: String) throws(AdministrationFailure) {
        guard case .client = actor else { return }
        let missing = scopes.subtracting(managementScopes)
        if !missing.isEmpty { throw .beyondOwnScopes(action: action, missing: missing.sorted()) }
    }

    /// What the audit log is told of a change. Its client is the one whose token the change was asked with.
    func event(
        _ kind: AuditEvent.Kind, of object: AuditEvent.Object, changed: [String] = [], user: UserID? = nil,
        details: JSONObject
    ) -> AuditEvent {
        var event = AuditEvent(
            kind, of: object, by: actor, tenant: tenant, at: now, changed: changed, user: user,
            remoteAddress: remoteAddress, details: details)
        if case .client(let client) = actor { event.client = client }
        event.request = request
        return event
    }
}

extension ConfigurationStore {
    /// Removes the context's tenant with all that is its own; its entries in the audit log stay.
    package func remove(_ tenant: TenantID, for context: AdministrativeContext) async throws {
        try await change(for: context) { change in
            try change.transaction.remove(tenant: tenant)
            try change.record(.removed, .tenant, tenant.rawValue)
        }
    }

    /// One change for an context: all of what `body` does, or nothing when it throws.
    func change<Result: Sendable>(
        for context: AdministrativeContext, _ body: @escaping @Sendable (ConfigurationChange) throws -> Result
    ) async throws -> Result {
        try await change { try body(ConfigurationChange(transaction: $0, context: context)) }
    }
}

extension DocumentFields {
    /// Reads one object out of `document`, where each of its members has to be known.
    /// Throws `AdministrationFailure.invalid` with everything that is wrong.
    static func entity<Entity>(
        _ document: JSONObject, _ read: (DocumentFields) -> Entity?
    ) throws(AdministrationFailure) -> Entity {
        let problems = Problems()
        let fields = DocumentFields(.object(document), path: "", problems: problems)
        let entity = fields.flatMap(read)
        fields?.finish()
        guard let entity, problems.list.isEmpty else { throw .invalid(problems.list) }
        return entity
    }

    /// The same where members that nobody knows are kept: `document` may have them where they belong or under
    /// `additional`, and `keep` gets all of them. What cannot be kept is refused.
    static func openEntity<Entity>(
        _ document: JSONObject, _ read: (DocumentFields) -> Entity?, keep: (inout Entity, JSONObject) -> Void
    ) throws(AdministrationFailure) -> Entity {
        let problems = Problems(keepsUnknown: true)
        var flat = document.completed(with: document["additional"]?.objectValue ?? [:])
        flat["additional"] = nil
        let fields = DocumentFields(.object(flat), path: "", problems: problems)
        let entity = fields.flatMap(read)
        fields?.finish()
        let unknown = problems.unknown ?? [:]
        if JSONWriter.bytes(.object(unknown)).count > additionalLimit {
            problems.add("", "the members that are only stored may have \(additionalLimit) bytes together")
        }
        guard var entity, problems.list.isEmpty else { throw .invalid(problems.list) }
        keep(&entity, unknown)
        return entity
    }
}
