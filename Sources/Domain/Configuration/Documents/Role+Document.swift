package import AuthorizationCore
import JOSE
import JSONSchema
import OAuthWire
package import Primitives

extension Role {
    package init?(_ fields: DocumentFields) {
        let id = fields.requiredString("id", limit: 64)
        if let id, !id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            fields.problem("id", "may hold printable ASCII without blanks")
        }
        let name = fields.requiredString("name")
        let permissions = fields.permissions("permissions")
        let description = fields.string("description", limit: 1000) ?? ""
        guard let id, let name else { return nil }
        self.init(id: RoleID(id), name: name, description: description, permissions: permissions)
    }

    package var document: JSONObject {
        var document: JSONObject = ["id": .string(id.rawValue), "name": .string(name)]
        if !description.isEmpty { document["description"] = .string(description) }
        document["permissions"] = .array(Permission.documents(permissions))
        return document
    }
}

extension Role.Permission {
    /// Sorted, so that equal sets have equal documents.
    package static func documents(_ permissions: Set<Role.Permission>) -> [JSONValue] {
        permissions.sorted { ($0.resourceServer, $0.scope) < ($1.resourceServer, $1.scope) }.map {
            ["resource_server_identifier": .string($0.resourceServer), "permission_name": .string($0.scope)]
        }
    }
}
