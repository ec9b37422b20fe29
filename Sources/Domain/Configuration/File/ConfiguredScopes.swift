package import AuthorizationCore

/// A tenant's APIs with their scopes and types, to check references to them.
package struct ConfiguredScopes {
    private let scopes: [String: Set<String>]
    private let types: [String: Set<String>]
    /// Suffix of messages about unknown APIs: ` in this file`.
    private let place: String

    package init(_ tenant: Tenant, _ resourceServers: [ResourceServer], place: String = "") {
        let all = resourceServers + [.management(of: tenant)]
        scopes = Dictionary(all.map { ($0.identifier, Set($0.scopes.map(\.value))) }, uniquingKeysWith: { $1 })
        types = Dictionary(
            all.map { ($0.identifier, Set($0.authorizationDetailsTypes.map(\.type))) }, uniquingKeysWith: { $1 })
        self.place = place
    }

    package func check(_ permissions: Set<Role.Permission>, at path: String, _ problems: Problems) {
        for permission in permissions.sorted(by: { ($0.resourceServer, $0.scope) < ($1.resourceServer, $1.scope) })
        where scopes[permission.resourceServer]?.contains(permission.scope) != true {
            problems.add(path, "\(permission.scope) is no scope of an API \(permission.resourceServer)\(place)")
        }
    }

    /// Paths are the grant's own members.
    package func check(_ grant: ClientGrant, _ problems: Problems) {
        guard let defined = scopes[grant.audience] else {
            problems.add("audience", "\(grant.audience) is no API\(place)")
            return
        }
        for scope in (grant.scopes ?? []).subtracting(defined).sorted() {
            problems.add("scope", "\(scope) is no scope of \(grant.audience)")
        }
        for type in (grant.authorizationDetailsTypes ?? []).subtracting(types[grant.audience] ?? []).sorted() {
            problems.add(
                "authorization_details_types", "\(type) is no type of authorization details of \(grant.audience)")
        }
    }

    /// `path` is the path of the client's grants. They are sorted, so it names no single grant.
    package func check(_ grants: [ClientGrant], at path: String, _ problems: Problems) {
        for (index, grant) in grants.enumerated() {
            let found = Problems()
            check(grant, found)
            for problem in found.list { problems.add(path, problem.message) }
            if grants[..<index].contains(where: { $0.conflicts(with: grant) }) {
                problems.add(path, "\(grant.audience) is granted twice")
            }
        }
    }
}

extension ClientGrant {
    /// True if both are for the same API and a common subject.
    package func conflicts(with other: ClientGrant) -> Bool {
        audience == other.audience && (subject == nil || other.subject == nil || subject == other.subject)
    }
}
