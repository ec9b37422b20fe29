import AuthorizationCore
@testable import Flows
@testable import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Rights that are withdrawn between the user's decision and the tokens")
struct WithdrawnRightsTests {
    private static let payer = Role(
        id: RoleID("payer"), name: "Payer", description: "",
        permissions: [Role.Permission(resourceServer: Samples.api, scope: "pay:send")])
    private static let details: JSONValue = [["type": "payment", "amount": "12"]]

    private static func agent(_ change: (inout Client) -> Void = { _ in }) -> Client {
        Samples.website("agent") { client in
            client.grantTypes.insert(.ciba)
            client.grants = [ClientGrant(audience: Samples.api, subject: .user)]
            change(&client)
        }
    }

    private static func api(_ change: (inout ResourceServer) -> Void = { _ in }) throws -> ResourceServer {
        try Samples.resourceServer { api in
            api.enforcesPolicies = true
            api.userPolicy = .requireClientGrant
            api.allowsOfflineAccess = true
            change(&api)
        }
    }

    /// Answers to a phone's request and to a code, both granted in full before the tenant is reduced to `client` and
    /// `apis`, and Ann to `roles`. Each has the scope and any refresh token, or the error.
    private func answers(
        client: Client = agent(), apis: [ResourceServer], roles: [RoleID] = [payer.id]
    ) async throws -> [String] {
        var fixture = try await FlowFixture(
            clients: [Self.agent()], apis: [Self.api()], roles: [Self.payer], ann: { $0.roles = [Self.payer.id] })
        let scope = "openid offline_access pay:send"
        let request = try await fixture.start([
            "scope": scope, "audience": Samples.api, "authorization_details": JSONWriter.string(Self.details),
        ]).authReqID
        try await fixture.made.keep(
            Samples.code(
                "code", Samples.access(client: "agent", scope: scope, details: Self.details), redirectURI: nil))
        fixture.configuration = try Samples.configuration(clients: [client], apis: apis, roles: [Self.payer])
        try await fixture.change(ann: { $0.roles = roles })
        try await fixture.allow(request)
        let changed = fixture
        let redeem = RedeemAuthorizationCode(
            store: fixture.made.store, revocations: fixture.made.store, issuer: fixture.issuer, hashing: Samples.hashing
        )
        let code = try fixture.authenticated(client: "agent").with(
            AuthorizationCodeGrant(code: "code", redirectURI: nil, codeVerifier: Samples.verifier, audience: nil))
        return try await [
            answer { try await changed.redeem(request) },
            answer { try await redeem.redeem(code) },
        ]
    }

    private func answer(_ body: () async throws -> TokenResponse) async throws -> String {
        do {
            let tokens = try await body()
            return (tokens.scope ?? "") + (tokens.refreshToken == nil ? "" : " + refresh token")
        } catch let error as OAuthError {
            return "\(error.code.rawValue): \(error.description.text)"
        }
    }

    private func both(_ answer: String) -> [String] { [answer, answer] }

    @Test("Rights that still exist are granted")
    func statusOfUser() async throws {
        #expect(
            try await answers(apis: [Self.api()]) == both("openid offline_access pay:send + refresh token"))
    }

    @Test("Scopes that the user's roles permit no more, or the client was granted no more, are left out")
    func scopes() async throws {
        let fewer = both("openid offline_access + refresh token")
        #expect(try await answers(apis: [Self.api()], roles: []) == fewer)
        let limited = Self.agent {
            $0.grants = [ClientGrant(audience: Samples.api, subject: .user, scopes: ["pay:read"])]
        }
        #expect(try await answers(client: limited, apis: [Self.api()]) == fewer)
        #expect(try await answers(apis: [Self.api { $0.scopes = [] }]) == fewer)
    }

    @Test("Refresh tokens are given only while the API and the client's grants allow them")
    func refreshTokens() async throws {
        let none = both("openid pay:send")
        #expect(try await answers(apis: [Self.api { $0.allowsOfflineAccess = false }]) == none)
        #expect(
            try await answers(client: Self.agent { $0.grantTypes.remove(.refreshToken) }, apis: [Self.api()]) == none)
    }

    @Test("Without the API, or the client's right to ask for it, there are no tokens")
    func access() async throws {
        let refused = both("invalid_grant: The client may no longer access '\(Samples.api)'")
        #expect(try await answers(apis: []) == refused)
        #expect(try await answers(client: Self.agent { $0.grants = [] }, apis: [Self.api()]) == refused)
        #expect(try await answers(apis: [Self.api { $0.userPolicy = .denyAll }]) == refused)
    }

    @Test("RFC 9396 clause 5: without the type of the authorization details there are no tokens")
    func types() async throws {
        let refused = both(
            "invalid_grant: The client may no longer ask for authorization_details of the type 'payment'")
        #expect(try await answers(apis: [Self.api { $0.authorizationDetailsTypes = [] }]) == refused)
        let limited = Self.agent {
            $0.grants = [ClientGrant(audience: Samples.api, subject: .user, authorizationDetailsTypes: ["transfer"])]
        }
        #expect(try await answers(client: limited, apis: [Self.api()]) == refused)
    }

    @Test("A refusal uses up nothing: with the right restored, tokens are issued")
    func givenBack() async throws {
        var fixture = try await FlowFixture(apis: [Samples.resourceServer()])
        let request = try await fixture.start(["audience": Samples.api]).authReqID
        try await fixture.allow(request)
        let whole = fixture.configuration
        fixture.configuration = try Samples.configuration(apis: [])
        #expect(try await fixture.poll(request) == "invalid_grant")
        #expect(try await fixture.made.database.auditLog("ciba_exchange_failed").count == 1)
        fixture.configuration = whole
        #expect(try await fixture.poll(request) == "tokens")
    }
}
