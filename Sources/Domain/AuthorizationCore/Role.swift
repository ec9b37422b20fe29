package import Primitives

/// If generated, `rol_` and 16 characters.
package typealias RoleID = ID<Role>

/// A set of permissions that users can have.
package struct Role: Sendable, Equatable {
    package struct Permission: Sendable, Hashable {
        /// The identifier of the API.
        package var resourceServer: String
        package var scope: String

        package init(resourceServer: String, scope: String) {
            self.resourceServer = resourceServer
            self.scope = scope
        }
    }

    package let id: RoleID
    package var name: String
    package var description: String
    package var permissions: Set<Permission>

    package init(id: RoleID, name: String, description: String, permissions: Set<Permission>) {
        self.id = id
        self.name = name
        self.description = description
        self.permissions = permissions
    }
}

extension Identifiers {
    package static func role(_ random: some RandomSource) -> RoleID {
        RoleID("rol_" + Base64URL.encode(random.bytes(12)))
    }
}
