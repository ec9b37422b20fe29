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

    init(_ change: ConfigurationChange) { self.change = change }

    var now: Timestamp { change.context.now }

    /// Writes a new document that differs from the old one. `compared` has all that may differ.
    mutating func put(
        _ kind: TenantDocument.Kind, _ id: String, _ compared: JSONObject, over old: JSONObject?, note: String? = nil,
        _ document: () throws -> TenantDocument
    ) rethrows {
        named.insert(.object(kind, id: id))
        try put(ServiceEntry.name(of: kind), id, compared, over: old, note: note) {
            $0.change.draft.put(try document())
        }
    }

    mutating func put(
        _ kind: String, _ name: String, _ document: JSONObject, over old: JSONObject?, note: String? = nil,
        _ write: (inout ChangeWriter) throws -> Void
    ) rethrows {
        let names = Set(document.members.map(\.name)).union(old?.members.map(\.name) ?? [])
        let different = names.filter { document[$0] != old?[$0] }.sorted()
        if old == nil || !different.isEmpty { try write(&self) }
        add(
            old == nil ? .created : different.isEmpty ? .unchanged : .changed, kind, name, old == nil ? [] : different,
            note: note)
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
        note: String? = nil
    ) {
        let tenant = change.tenant
        changes.append(
            ApplyConfiguration.Change(
                action: action, kind: kind, tenant: tenant, name: name, fields: fields, note: note))
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
