import Configuration
import Administration
import AuthorizationCore
import JOSE
import Primitives
import TestSupport
import Testing

/// Pruning.
extension ApplyConfigurationTests {
    @Test("Pruning removes unnamed APIs, roles, clients and connections, but never users")
    func prune() async throws {
        let bare =
            #"{"tenants": [{"id": "dev", "name": "Dev", "host": "dev.example", "custom_domains": ["login.example"]}]}"#
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        #expect(try await fixture.apply(bare) == ["unchanged tenant dev"], "without prune nothing is removed")
        #expect(
            try await fixture.apply(bare, prune: true) == [
                "unchanged tenant dev", "removed client agent", "removed connection Users",
                "removed connection github", "removed role payer", "removed api https://pay.example/",
            ])
        let part = try #require(try await fixture.part())
        #expect(part.clients.isEmpty && part.roles.isEmpty && part.resourceServers.isEmpty && part.connections.isEmpty)
        #expect(try await fixture.user("auth0|ann") != nil)
        #expect(try await fixture.apply(bare, prune: true) == ["unchanged tenant dev"])
    }

    @Test("Pruning an API deletes users' permissions for it and their consents to clients there")
    func prunedAPI() async throws {
        let permission = """
            "permissions": [{"resource_server_identifier": "https://pay.example/", "permission_name": "pay:send"}]
            """
        let rest = """
            {"tenants": [{
                "id": "dev", "name": "Dev", "host": "dev.example", "custom_domains": ["login.example"],
                "clients": [{
                    "client_id": "agent", "name": "Agent", "client_secret": {"env": "SECRET"},
                    "grant_types": ["urn:openid:params:grant-type:ciba"]
                }]
            }]}
            """
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.changing(#""locale": "fr""#, permission))
        for audience in [Samples.api, "https://else.example/"] {
            let access = Samples.access(
                id: audience, client: "agent", user: "auth0|bob", audience: audience, session: audience)
            try await fixture.made.keep(Samples.code(audience, access), consents: true)
        }
        #expect(try await fixture.user("auth0|bob")?.permissions.count == 1)
        #expect(try await fixture.apply(rest, prune: true).contains("removed api https://pay.example/"))
        #expect(try await fixture.user("auth0|bob")?.permissions == [])
        #expect(try await fixture.made.database.count("consent_grant") == 1, "what is for another API stays")
        #expect(try await fixture.made.database.count("authorization_code") == 1)
    }

    @Test("A file changes only the tenants that it names")
    func otherTenants() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        try await fixture.apply(#"{"tenants": [{"id": "b", "name": "B", "host": "b.example"}]}"#, prune: true)
        #expect(try await fixture.part()?.clients.count == 1)
        #expect(try await fixture.part("b") != nil)
    }
}
