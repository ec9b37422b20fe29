package import AuthorizationCore
import JSONSchema
import Primitives

extension Role: Described {
    package static let fields = Fields<Role> {
        Field.key("id", .text(1...64), "Printable ASCII without blanks; unique in the tenant") { $0.id.rawValue }
            .fileOnly
        Field.key("name", .text(), "Name of the role, for people") { $0.name }.option
        Field("description", protects: .nothing, .text(0...1000), \.description, "Description of the role, for people")
            .option
        Field(
            "permissions", protects: .identity("update:roles"), .permissions, \.permissions,
            "Scopes of APIs of the file"
        ).fileOnly
    }

    package init?(_ fields: DocumentFields) {
        let id = fields.requiredString("id", limit: 64)
        if let id, !id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            fields.problem("id", "may hold printable ASCII without blanks")
        }
        let name = fields.requiredString("name")
        self.init(id: RoleID(id ?? ""), name: name ?? "", description: "", permissions: [])
        Self.fields.read(fields, into: &self)
        if id == nil || name == nil { return nil }
    }
}

extension Role.Permission: Described {
    package static let fields = Fields<Role.Permission> {
        Field(
            "resource_server_identifier", protects: .covered(.identity), .text(1...600), \.resourceServer,
            "Identifier of the API"
        ).required
        Field("permission_name", protects: .covered(.identity), .text(), \.scope, "One of its scopes").required
    }

    static func precedes(_ left: Role.Permission, _ right: Role.Permission) -> Bool {
        (left.resourceServer, left.scope) < (right.resourceServer, right.scope)
    }
}

extension FieldType where Value == Set<Role.Permission> {
    /// Sorted, so that equal sets have equal documents.
    package static var permissions: FieldType {
        FieldType<[Role.Permission]>.objects(new: Role.Permission(resourceServer: "", scope: ""))
            .mapped({ Set($0) }, { $0.sorted(by: Role.Permission.precedes) })
    }
}

extension Role: StoredEntity {
    package static let storedKind = TenantDocument.Kind.role
    package var storedID: String { id.rawValue }

    package init?(_ fields: DocumentFields, of stored: TenantDocument) { self.init(fields) }
}
