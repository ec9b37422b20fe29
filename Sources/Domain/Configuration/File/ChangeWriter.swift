import Audit
import Primitives

/// Writes and collects differences.
struct ChangeWriter {
    let transaction: any ConfigurationTransaction
    let context: AdministrativeContext
    private(set) var changes: [ApplyConfiguration.Change] = []

    var now: Timestamp { context.now }

    mutating func put(
        _ kind: String, _ name: String, _ document: JSONObject, over old: JSONObject?, note: String? = nil,
        _ write: (any ConfigurationTransaction) throws -> Void
    ) throws {
        guard let old else {
            try write(transaction)
            return add(.created, kind, name, note: note)
        }
        let names = Set(document.members.map(\.name)).union(old.members.map(\.name))
        let different = names.filter { document[$0] != old[$0] }.sorted()
        guard !different.isEmpty else { return add(.unchanged, kind, name, note: note) }
        try write(transaction)
        add(.changed, kind, name, different, note: note)
    }

    mutating func add(
        _ action: ApplyConfiguration.Change.Action, _ kind: String, _ name: String, _ fields: [String] = [],
        note: String? = nil
    ) {
        changes.append(
            ApplyConfiguration.Change(
                action: action, kind: kind, tenant: context.tenant, name: name, fields: fields, note: note))
    }

    /// Audits each changed object.
    func record() throws {
        let change = ConfigurationChange(transaction: transaction, context: context)
        for result in changes {
            guard let action = ConfigurationChange.Action(rawValue: result.action.rawValue) else { continue }
            try change.record(
                action, AuditEvent.Object(result.kind, result.name), fields: result.fields, as: .configurationApplied)
        }
    }
}
