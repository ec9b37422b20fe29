import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: custom domains")
struct CustomDomainTests {
    private static let name = "approve.bank.example"

    private func created(_ fixture: ManagementFixture, _ name: String = name) async throws -> String {
        let answer = await fixture.post(
            "/custom-domains", ["domain": .string(name), "type": "auth0_managed_certs", "domain_metadata": ["a": "b"]])
        #expect(answer.status == 201, "\(answer.text)")
        return try (answer["custom_domain_id"]?.stringValue).orThrow("no id")
    }

    @Test("on a server with one tenant a name is claimed, verified, served, changed and deleted")
    func life() async throws {
        let fixture = try await ManagementFixture()
        try await fixture.server.configure { try $0.remove(tenant: TenantID("other")) }
        let id = try await created(fixture, "Approve.Bank.Example")
        #expect(id.hasPrefix("cd_") && id.count == 19)
        let pending = await fixture.get("/custom-domains/\(id)")
        #expect(
            pending.json == [
                "custom_domain_id": .string(id), "domain": .string(Self.name), "primary": false,
                "status": "pending_verification", "type": "auth0_managed_certs", "verification": Self.pending,
                "domain_metadata": ["a": "b"],
            ])
        #expect(await fixture.server.send(.get("/.well-known/jwks.json", host: Self.name)).status != 200)
        #expect(await fixture.send(.post, "/custom-domains/\(id)/verify")["status"] == "ready")
        #expect(await fixture.server.send(.get("/.well-known/jwks.json", host: Self.name)).status == 200)
        #expect(try fixture.server.tenant.hosts.last == Self.name)
        let changed = await fixture.patch(
            "/custom-domains/\(id)", ["domain_metadata": nil, "tls_policy": "recommended"])
        #expect(changed["tls_policy"] == "recommended")
        #expect(changed["domain_metadata"] == nil)
        #expect(changed["status"] == "ready")
        #expect(await fixture.delete("/custom-domains/\(id)").status == 204)
        #expect(await fixture.server.send(.get("/.well-known/jwks.json", host: Self.name)).status != 200)
        #expect(await fixture.get("/custom-domains/\(id)").code == "inexistent_custom_domain")
        #expect(await fixture.delete("/custom-domains/\(id)").status == 204)
    }

    private static let pending: JSONValue = [
        "methods": [], "status": "pending",
        "error_msg": "The server's operator gives names to tenants, with countersign tenant update",
    ]

    @Test("on a server with several tenants only the operator assigns a name; claiming and verifying do not suffice")
    func approval() async throws {
        let fixture = try await ManagementFixture()
        let id = try await created(fixture)
        let answer = await fixture.send(.post, "/custom-domains/\(id)/verify")
        #expect(answer.status == 200)
        #expect(answer["status"] == "pending_verification")
        #expect(answer["verification"] == Self.pending)
        #expect(await fixture.server.send(.get("/.well-known/jwks.json", host: Self.name)).status != 200)
        var tenant = try fixture.server.tenant
        tenant.hosts.append(Self.name)
        let given = tenant
        try await fixture.server.configure { try $0.put(given) }
        let ready = await fixture.send(.post, "/custom-domains/\(id)/verify")
        #expect(ready["status"] == "ready")
        #expect(ready["verification"] == ["methods": [], "status": "verified"])
        #expect(await fixture.server.send(.get("/.well-known/jwks.json", host: Self.name)).status == 200)
    }

    @Test("names from a configuration file are listed, but not the tenant's own name")
    func configured() async throws {
        let fixture = try await ManagementFixture()
        _ = try await created(fixture)
        let listed = await fixture.get("/custom-domains").json.arrayValue ?? []
        #expect(listed.compactMap { $0["domain"]?.stringValue } == [Self.name, InProcessServer.customHost])
        #expect(listed.last?["status"] == "ready")
        let id = try (listed.last?["custom_domain_id"]?.stringValue).orThrow("no id")
        #expect(await fixture.get("/custom-domains/\(id)")["domain"]?.stringValue == InProcessServer.customHost)
    }

    @Test("a name belongs to one tenant, even before its verification")
    func unique() async throws {
        let fixture = try await ManagementFixture()
        _ = try await created(fixture)
        for name in [Self.name, InProcessServer.host, InProcessServer.otherHost, InProcessServer.customHost] {
            let answer = await fixture.post("/custom-domains", ["domain": .string(name)])
            #expect(answer.status == 409)
            #expect(answer.code == "custom_domain_conflict")
        }
    }

    @Test(
        "invalid DNS names are refused",
        arguments: [
            "localhost", "-a.example", "a-.example", "a..example", ".example", "a.example.", "a b.example", "127.0.0.1",
            "a.example:8443", "*.bank.example", "bänk.example",
        ])
    func wrong(name: String) async throws {
        let answer = try await ManagementFixture().post("/custom-domains", ["domain": .string(name)])
        #expect(answer.code == "invalid_body", "\(answer.text)")
    }

    @Test(
        "A client gets a token for the API by the name of a custom domain, and uses it there and with the tenant's own name"
    )
    func tokens() async throws {
        let fixture = try await ManagementFixture()
        let host = InProcessServer.customHost
        func token(_ audience: String, at host: String) async -> HTTPAnswer {
            await fixture.server.send(
                .form(
                    "/oauth/token",
                    [
                        "grant_type": "client_credentials", "client_id": "operator", "client_secret": Samples.secret,
                        "audience": audience,
                    ], host: host))
        }
        for audience in ["https://\(host)/api/v2/", ManagementFixture.audience] {
            let given = await token(audience, at: host)
            let bearer = "Bearer \(given["access_token"]?.stringValue ?? "")"
            let answer = await fixture.send(.get, "/roles", host: host, authorization: bearer)
            #expect(answer.status == 200, "\(audience): \(given.text) \(answer.text)")
        }
        for audience in ["https://\(InProcessServer.otherHost)/api/v2/", "https://evil.example/api/v2/"] {
            #expect(await token(audience, at: host)["error"] == "invalid_target")
        }
    }
}
