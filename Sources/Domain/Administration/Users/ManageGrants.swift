package import AuthorizationCore
package import Configuration
import Primitives

/// Manages users' grants on the consent page. CIBA creates none.
package struct ManageGrants: Sendable {
    let store: any ConfigurationStore

    package func list(
        _ filter: ConsentFilter, in tenant: TenantID, skip: Int, limit: Int
    ) async throws -> (grants: [ConsentGrant], total: Int) {
        try await store.read { reader in
            (
                try reader.consents(filter, in: tenant, skip: skip, limit: limit),
                try reader.consentCount(filter, in: tenant)
            )
        }
    }

    /// Also revokes the grant's refresh tokens. Does nothing if the grant does not exist.
    package func remove(_ id: String, for context: AdministrativeContext) async throws {
        let filter = try ConsentFilter(grantID: id).orUnknown(.grant)
        try await store.change(for: context) { try Self.remove(filter, id, $0) }
    }

    /// The same for all grants that match, at once. Returns them.
    package func remove(_ filter: ConsentFilter, for context: AdministrativeContext) async throws -> [ConsentGrant] {
        try await store.change(for: context) { change in
            let grants = try change.reader.consents(filter, in: context.tenant, skip: 0, limit: .max)
            for grant in grants {
                let own = ConsentFilter(user: grant.user, client: grant.client, audience: grant.audience)
                try Self.remove(own, grant.id, change)
            }
            return grants
        }
    }

    private static func remove(_ filter: ConsentFilter, _ id: String, _ change: UserChange) throws {
        guard let user = try filter.user.flatMap(change.user), try user.removeConsents(filter) > 0 else { return }
        try change.record(.removed, .grant, id, user: filter.user)
    }

    package func removeAll(of user: UserID, for context: AdministrativeContext) async throws {
        let filter = ConsentFilter(user: user)
        try await store.change(for: context) { change in
            guard let owner = try change.user(user) else { return }
            let grants = try change.reader.consents(filter, in: context.tenant, skip: 0, limit: .max)
            _ = try owner.removeConsents(filter)
            for grant in grants { try change.record(.removed, .grant, grant.id, user: user) }
        }
    }
}

extension ConsentGrant {
    private static let idPrefix = "cgr_"

    /// Permanent id, built from user, client and API.
    package var id: String { Self.idPrefix + Base64URL.encode(Array("\(user)\n\(client)\n\(audience)".utf8)) }

    fileprivate static func parts(ofID id: String) -> [String]? {
        guard id.hasPrefix(idPrefix), let bytes = Base64URL.decode(id.dropFirst(idPrefix.count)),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 3 ? parts : nil
    }
}

extension ConsentFilter {
    /// The grant with this id. Nil means an invalid id.
    init?(grantID: String) {
        guard let parts = ConsentGrant.parts(ofID: grantID) else { return nil }
        self.init(user: UserID(parts[0]), client: ClientID(parts[1]), audience: parts[2])
    }
}

extension Managers {
    package var grants: ManageGrants { ManageGrants(store: store) }
}
