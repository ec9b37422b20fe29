import Audit
import Primitives

/// A tenant's draft that a file changes, the users that it writes, and what differs.
struct ChangeWriter {
    var change: ConfigurationChange
    /// Objects that the file has.
    private var named: Set<ConfigurationPart> = []
    /// Writes to users, in the order of the file.
    var users: [(any UserTransaction) throws -> Void] = []
    private(set) var changes: [ApplyConfiguration.Change] = []
    private let comparesSecrets: Bool

    init(_ change: ConfigurationChange, comparesSecrets: Bool) {
        self.change = change
        self.comparesSecrets = comparesSecrets
    }

    var now: Timestamp { change.context.now }

    /// The file's secret. Nil, which keeps the stored one, if secrets are not compared.
    func compared(_ secret: SecretBytes?) -> SecretBytes? { comparesSecrets ? secret : nil }

    /// The name of a secret of the file that is not compared.
    func uncompared(_ secret: SecretBytes?, _ name: String?) -> [String] {
        comparesSecrets || secret == nil ? [] : name.map { [$0] } ?? []
    }

    /// Writes a new document that differs from the old one. `compared` has all that may differ.
    mutating func put(
        _ kind: TenantDocument.Kind, _ id: String, _ compared: JSONObject, over old: JSONObject?, note: String? = nil,
        uncompared: [String] = [], _ document: () throws -> TenantDocument
    ) rethrows {
        named.insert(.object(kind, id: id))
        try put(ServiceEntry.name(of: kind), id, compared, over: old, note: note, uncompared: uncompared) {
            $0.change.draft.put(try document())
        }
    }

    mutating func put(
        _ kind: String, _ name: String, _ document: JSONObject, over old: JSONObject?, note: String? = nil,
        uncompared: [String] = [], _ write: (inout ChangeWriter) throws -> Void
    ) rethrows {
        let names = Set(document.members.map(\.name)).union(old?.members.map(\.name) ?? [])
        let different = names.filter { document[$0] != old?[$0] }.sorted()
        if old == nil || !different.isEmpty { try write(&self) }
        add(
            old == nil ? .created : different.isEmpty ? .unchanged : .changed, kind, name, old == nil ? [] : different,
            note: note, uncompared: old == nil ? [] : uncompared)
    }

    /// Removes the objects that the file did not name.
    mutating func prune() throws {
        for document in try StoredTenant.kinds.flatMap({ try change.draft.documents($0) })
        where ServiceEntry.isPrunable(document) && !named.contains(.object(document.kind, id: document.id)) {
            change.remove(document.kind, document.id)
            add(.removed, ServiceEntry.name(of: document.kind), document.id)
        }
    }

    mutating func add(
        _ action: ApplyConfiguration.Change.Action, _ kind: String, _ name: String, _ fields: [String] = [],
        note: String? = nil, uncompared: [String] = []
    ) {
        let tenant = change.tenant
        changes.append(
            ApplyConfiguration.Change(
                action: action, kind: kind, tenant: tenant, name: name, fields: fields, note: note,
                uncompared: uncompared))
        guard let action = ConfigurationChange.Action(rawValue: action.rawValue) else { return }
        change.record(
            change.context.event(action, AuditEvent.Object(kind, name), fields: fields, as: .configurationApplied))
    }

    /// Writes the draft, then the users.
    func write(_ transaction: any UserTransaction) throws {
        if let commit = change.commit { try transaction.commit(commit) }
        for write in users { try write(transaction) }
    }
}
