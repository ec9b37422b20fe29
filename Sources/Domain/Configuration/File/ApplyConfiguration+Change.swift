package import AuthorizationCore
package import Primitives

extension ApplyConfiguration {
    /// The result for one object.
    package struct Change: Sendable, Equatable {
        package enum Action: String, Sendable, CaseIterable { case created, changed, removed, unchanged }

        package let action: Action
        /// `tenant`, `api`, `role`, `user`, `client`, `connection`, `key` or the kind of a service's document.
        package let kind: String
        package let tenant: TenantID
        package let name: String
        /// Names of changed fields, never values.
        package let fields: [String]
        /// Why the object has no effect. Nil if it has one.
        package var note: String?
        /// Names of secrets of which the caller may not learn if they are the stored ones.
        package let uncompared: [String]

        package init(
            action: Action, kind: String, tenant: TenantID, name: String, fields: [String], note: String? = nil,
            uncompared: [String] = []
        ) {
            self.action = action
            self.kind = kind
            self.tenant = tenant
            self.name = name
            self.fields = fields
            self.note = note
            self.uncompared = uncompared
        }

        /// Nil if the document is not one that `json` gives.
        package init?(_ json: JSONValue) {
            guard let action = json["action"]?.stringValue.flatMap(Action.init(rawValue:)),
                let kind = json["kind"]?.stringValue, let tenant = json["tenant"]?.stringValue,
                let name = json["name"]?.stringValue, let fields = json["fields"]?.stringsValue
            else { return nil }
            self.init(
                action: action, kind: kind, tenant: TenantID(tenant), name: name, fields: fields,
                note: json["note"]?.stringValue, uncompared: json["not_compared"]?.stringsValue ?? [])
        }

        package var json: JSONValue {
            var json: JSONObject = [
                "action": .string(action.rawValue), "kind": .string(kind), "tenant": .string(tenant.rawValue),
                "name": .string(name), "fields": JSONValue(fields),
            ]
            json["note"] = note.map(JSONValue.string)
            if !uncompared.isEmpty { json["not_compared"] = JSONValue(uncompared) }
            return .object(json)
        }
    }
}
