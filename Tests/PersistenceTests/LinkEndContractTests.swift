import AuthorizationCore
import Configuration
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: links of users who get more rights")
struct LinkEndContractTests {
    enum Way: CaseIterable {
        case permission, role, roleAlone, growingRole
        case otherPermission, growthElsewhere, lessRights

        var givesMore: Bool {
            switch self {
            case .permission, .role, .roleAlone, .growingRole: true
            case .otherPermission, .growthElsewhere, .lessRights: false
            }
        }
    }

    private static let tenant = LoginSamples.tenant
    private static let users = [LoginSamples.ann, LoginSamples.bob]

    private static func role(_ id: String, _ scopes: [String], of api: String) -> Role {
        Role(
            id: RoleID(id), name: id, description: "",
            permissions: Set(scopes.map { Role.Permission(resourceServer: api, scope: $0) }))
    }

    private static func put(_ role: Role, _ change: any UserTransaction) throws {
        try change.commit(ConfigurationCommit(tenant, [.put(role.stored)]))
    }

    /// A link of each kind for two users, of whom each has a role that may read users.
    private func populated(_ kind: StoreKind, _ audience: String) async throws -> TemporaryStore {
        let made = try await kind.populated()
        try await made.store.change { change in
            try Self.put(Self.role("rol_more", ["read:users", "create:users"], of: audience), change)
            for user in Self.users {
                let own = RoleID("rol_\(user.rawValue.suffix(3))")
                try Self.put(Self.role(own.rawValue, ["read:users"], of: audience), change)
                try change.put(roles: [own], of: user, in: Self.tenant, now: LoginSamples.start)
                for kind in UserTicket.Kind.allCases {
                    let ticket = UserTicket(
                        kind: kind, hash: LoginSamples.hash("\(user) \(kind)"), user: user,
                        email: EmailAddress(parsing: "a@example.com"), provesEmail: false, resultURL: nil,
                        createdAt: LoginSamples.start, expiresAt: LoginSamples.start + .seconds(60))
                    try change.put(ticket, in: Self.tenant)
                }
            }
        }
        return made
    }

    @Test(
        "Unused links of a user end when the user gets scopes of the Management API, and at no other change of rights",
        arguments: StoreKind.all, Way.allCases)
    func ends(kind: StoreKind, way: Way) async throws {
        let audience = Samples.tenant("dev").managementAudience
        let made = try await populated(kind, audience)
        try await made.store.change { change in
            let old = try #require(try change.user(LoginSamples.ann, in: Self.tenant)).user
            var new = old
            switch way {
            case .permission: new.permissions = [Role.Permission(resourceServer: audience, scope: "create:users")]
            case .otherPermission:
                new.permissions = [Role.Permission(resourceServer: Samples.api, scope: "create:users")]
            case .role: new.roles.append(RoleID("rol_more"))
            case .lessRights: new.roles = []
            case .roleAlone:
                return try change.put(
                    roles: old.roles + [RoleID("rol_more")], of: old.id, in: Self.tenant, now: LoginSamples.start)
            case .growingRole:
                return try Self.put(Self.role("rol_ann", ["read:users", "read:roles"], of: audience), change)
            case .growthElsewhere:
                return try Self.put(Self.role("rol_ann", ["read:users", "read:roles"], of: Samples.api), change)
            }
            try change.put(new, passwordHash: nil, in: Self.tenant)
        }
        for table: StaticString in ["password_ticket", "email_ticket", "enrollment_ticket"] {
            #expect(try await made.database.count(table) == (way.givesMore ? 1 : 2), "\(table)")
        }
    }
}
