@testable import CountersignClient
import Foundation
import HTTPModel
import JOSE
import Primitives
import Synchronization
import TestSupport
import Testing

/// A store that records its calls and can be made to fail.
private final class RecordingStore: CredentialStore {
    private struct State {
        var data: Data?
        var saved: [String] = []
        var failure: String?
        var calls = 0
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private let state = Mutex(State())

    /// The refresh tokens that were saved, in order.
    var saved: [String] { state.withLock(\.saved) }
    var isEmpty: Bool { state.withLock { $0.data == nil } }

    func fail(_ failure: String?) { state.withLock { $0.failure = failure } }

    func load() async throws -> Data? { try access { $0.data } }

    func save(_ data: Data) async throws {
        let token = try JSONReader.parse(Array(data))["refresh_token"]?.stringValue ?? ""
        try access { state in
            state.data = data
            state.saved.append(token)
        }
    }

    func clear() async throws { try access { $0.data = nil } }

    private func access<Value>(_ body: (inout State) throws -> Value) throws -> Value {
        try state.withLock { state in
            if let failure = state.failure { throw Failure(description: failure) }
            return try body(&state)
        }
    }
}

/// Suspends callers until it is opened.
private final class Gate: Sendable {
    private let arrivals = AsyncStream.makeStream(of: Void.self)
    private let opening = AsyncStream.makeStream(of: Void.self)

    func pass() async {
        arrivals.continuation.yield()
        for await _ in opening.stream { return }
    }

    /// Returns once a caller is waiting.
    func arrival() async { for await _ in arrivals.stream { return } }
    func open() { opening.continuation.finish() }
}

@Suite("Keeping credentials")
struct CredentialsTests {
    private let fixture: ClientFixture
    private let client: CountersignClient
    private let store = RecordingStore()
    private let manager: CredentialsManager

    /// Logged in, with an access token that expires after 90 seconds.
    init() async throws {
        fixture = try ClientFixture()
        client = try fixture.client(.publicClient)
        manager = CredentialsManager(client: client, store: store)
        try await manager.keep(fixture.loggedIn(client))
    }

    private var refreshes: [ScriptedTransport.Sent] {
        fixture.transport.sent("/oauth/token").filter { $0.form["grant_type"] == "refresh_token" }
    }

    private func refreshed(_ number: Int, _ changes: JSONObject = [:]) throws -> JSONValue {
        var all: JSONObject = [
            "access_token": .string("access-\(number)"), "refresh_token": .string("refresh-\(number)"),
            "id_token": nil, "scope": "openid offline_access",
        ]
        for (name, value) in changes { all[name] = value }
        return try fixture.tokenResponse(all)
    }

    private func answerRefresh(_ number: Int, _ changes: JSONObject = [:]) throws {
        fixture.transport.answer("/oauth/token", 200, try refreshed(number, changes))
    }

    @Test("An access token with enough lifetime left is returned unchanged")
    func fresh() async throws {
        #expect(try await manager.credentials().accessToken == "access-1")
        #expect(try await manager.credentials(minimumLifetime: .seconds(89)).accessToken == "access-1")
        #expect(refreshes.isEmpty)
    }

    @Test("RFC 6749 6: an access token that expires too soon is refreshed, and the new tokens are stored")
    func refresh() async throws {
        fixture.clock.advance(.seconds(31))
        try answerRefresh(2)
        let tokens = try await manager.credentials()
        #expect(tokens.accessToken == "access-2")
        #expect(tokens.refreshToken == "refresh-2")
        #expect(
            tokens.idToken?.subject == ClientFixture.user, "OIDC Core 12.2: the first ID token stays where none is new")
        #expect(refreshes.map { $0.form["refresh_token"] } == ["refresh-1"])
        #expect(refreshes.first?.form["scope"] == nil)
        let restarted = CredentialsManager(client: client, store: store)
        #expect(try await restarted.credentials().accessToken == "access-2")
    }

    @Test("Without rotation the refresh token stays the same")
    func noRotation() async throws {
        fixture.clock.advance(.seconds(31))
        try answerRefresh(2, ["refresh_token": nil])
        #expect(try await manager.credentials().refreshToken == "refresh-1")
    }

    @Test("100 concurrent callers cause one refresh")
    func singleFlight() async throws {
        fixture.clock.advance(.seconds(31))
        let gate = Gate()
        let answer = try refreshed(2)
        fixture.transport.answer("/oauth/token") { _ in
            await gate.pass()
            return ClientResponse(status: 200, fields: [:], body: JSONWriter.bytes(answer))
        }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await manager.credentials().accessToken } }
            await gate.arrival()
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: "access-2", count: 100))
        #expect(refreshes.count == 1)
    }

    @Test("Callers with different requirements refresh in turn, each with the newest refresh token")
    func demands() async throws {
        fixture.clock.advance(.seconds(31))
        let gate = Gate()
        let answer = try refreshed(2)
        fixture.transport.answer("/oauth/token") { _ in
            await gate.pass()
            return ClientResponse(status: 200, fields: [:], body: JSONWriter.bytes(answer))
        }
        async let all = manager.credentials()
        await gate.arrival()
        async let longer = manager.credentials(minimumLifetime: .seconds(70))
        try answerRefresh(3, ["scope": "openid", "access_token": "narrow"])
        async let narrow = manager.credentials(scope: ["openid"])
        gate.open()
        #expect(try await all.accessToken == "access-2")
        #expect(try await longer.accessToken == "access-2", "what the first refresh brought is good enough")
        #expect(try await narrow.accessToken == "narrow")
        #expect(refreshes.map { $0.form["refresh_token"] } == ["refresh-1", "refresh-2"])
        #expect(refreshes.last?.form["scope"] == "openid")
        #expect(try await manager.credentials(scope: ["openid"]).accessToken == "narrow")
        let whole = try await manager.credentials()
        #expect(whole.accessToken == "access-2" && whole.refreshToken == "refresh-3")
        #expect(refreshes.count == 2)
    }

    @Test("A scope that was not granted is refused without a request")
    func ungrantedScope() async {
        #expect(
            await failure { try await manager.credentials(scope: ["openid", "pay"]) }
                == .tokenInvalid(.insufficientScope(missing: ["pay"])))
        #expect(refreshes.isEmpty)
    }

    @Test("A rotated refresh token is stored before its access token is returned")
    func rotationFirst() async throws {
        fixture.clock.advance(.seconds(31))
        try answerRefresh(2)
        store.fail("the disk is full")
        #expect(await failure { try await manager.credentials() } == .storage("the disk is full"))
        #expect(await failure { try await manager.credentials() } == .storage("the disk is full"))
        store.fail(nil)
        // The token that could not be stored is used next, not the old one.
        try answerRefresh(3)
        let tokens = try await manager.credentials()
        #expect(refreshes.map { $0.form["refresh_token"] } == ["refresh-1", "refresh-2"])
        #expect(tokens.accessToken == "access-3")
        #expect(store.saved.last == "refresh-3")
    }

    @Test("A rotated refresh token is stored even if the ID token beside it is invalid")
    func rotationWithInvalidToken() async throws {
        fixture.clock.advance(.seconds(31))
        var claims = fixture.idTokenClaims
        claims["sub"] = "auth0|other"
        try answerRefresh(2, ["id_token": .string(fixture.sign(claims))])
        #expect(await failure { try await manager.credentials() } == .tokenInvalid(.subject))
        #expect(store.saved.last == "refresh-2")
        #expect(try await manager.credentials(minimumLifetime: .seconds(30)).accessToken == "access-1")
    }

    @Test("OIDC Core 12.2: a refreshed ID token has the same subject and authentication")
    func refreshedIDToken() async throws {
        func problem(_ changes: JSONObject) async throws -> CountersignError? {
            let tokens = try await fixture.loggedIn(client)
            var claims = fixture.idTokenClaims
            for (name, value) in changes { claims[name] = value }
            try answerRefresh(2, ["id_token": .string(fixture.sign(claims))])
            return await failure { try await client.refresh(tokens) }
        }
        let now = fixture.clock.now.seconds
        #expect(try await problem([:]) == nil)
        #expect(try await problem(["auth_time": JSONValue(now)]) == nil)
        #expect(try await problem(["auth_time": JSONValue(now + 5)]) == .tokenInvalid(.authenticationTime))
        #expect(try await problem(["nonce": "other"]) == .tokenInvalid(.nonce))
        #expect(try await problem(["iss": "https://evil.example/"]) == .tokenInvalid(.issuer))
    }

    @Test("A refused refresh token is deleted, and the user must log in again")
    func refused() async throws {
        fixture.clock.advance(.seconds(31))
        fixture.transport.refuse("invalid_grant", status: 403)
        #expect(await failure { try await manager.credentials() } == .loginAgain)
        #expect(store.isEmpty)
        #expect(await failure { try await manager.credentials() } == .loginAgain)
        #expect(refreshes.count == 1)
    }

    @Test("A server failure, or an unknown client, deletes no credentials")
    func failures() async throws {
        fixture.clock.advance(.seconds(31))
        fixture.transport.answer("/oauth/token", failing: .cannotConnect("nobody there"))
        #expect(await failure { try await manager.credentials() } == .network("nobody there"))
        fixture.transport.refuse("invalid_client", status: 401)
        #expect(await failure { try await manager.credentials() } == .clientRejected("about invalid_client"))
        try answerRefresh(2)
        #expect(try await manager.credentials().accessToken == "access-2")
    }

    @Test("A cancelled caller stops waiting at once, and the refresh completes")
    func cancellation() async throws {
        fixture.clock.advance(.seconds(31))
        let gate = Gate()
        let answer = try refreshed(2)
        fixture.transport.answer("/oauth/token") { _ in
            await gate.pass()
            return ClientResponse(status: 200, fields: [:], body: JSONWriter.bytes(answer))
        }
        let caller = Task { await failure { try await manager.credentials() } }
        await gate.arrival()
        caller.cancel()
        #expect(await caller.value == .cancelled)
        gate.open()
        #expect(try await manager.credentials().accessToken == "access-2")
        #expect(refreshes.count == 1)
    }

    @Test("Without credentials, or with an expired access token and no refresh token, the user must log in")
    func nothing() async throws {
        let empty = CredentialsManager(client: client, store: MemoryCredentialStore())
        #expect(await failure { try await empty.credentials() } == .loginAgain)
        var tokens = try await fixture.loggedIn(client)
        tokens.refreshToken = nil
        try await empty.keep(tokens)
        #expect(try await empty.credentials().accessToken == "access-1")
        fixture.clock.advance(.seconds(100))
        #expect(await failure { try await empty.credentials() } == .loginAgain)
    }

    @Test("Valid tokens that miss a requirement are kept if there is no refresh token")
    func unanswerable() async throws {
        let store = MemoryCredentialStore()
        let manager = CredentialsManager(client: client, store: store)
        var tokens = try await fixture.loggedIn(client)
        tokens.refreshToken = nil
        try await manager.keep(tokens)
        #expect(await failure { try await manager.credentials(scope: ["openid"]) } == .loginAgain)
        #expect(await failure { try await manager.credentials(minimumLifetime: .seconds(600)) } == .loginAgain)
        #expect(try await manager.credentials().accessToken == "access-1")
        #expect(try await store.load() != nil)
        fixture.clock.advance(.seconds(100))
        #expect(await failure { try await manager.credentials() } == .loginAgain)
        #expect(try await store.load() == nil)
    }

    @Test("Damaged stored credentials are an error, not a crash")
    func damaged() async throws {
        let memory = MemoryCredentialStore()
        for text in [
            "", "{}", "[1]", "{\"access_token\":\"a\",\"token_type\":\"b\",\"scope\":\"\",\"id_token\":\"x\"}",
        ] {
            try await memory.save(Data(text.utf8))
            let manager = CredentialsManager(client: client, store: memory)
            #expect(await failure { try await manager.credentials() } == .storage("the stored credentials are damaged"))
        }
    }

    @Test("Tokens survive their JSON, and printing them shows no token")
    func json() async throws {
        let tokens = try await fixture.loggedIn(client)
        let copy = try #require(Tokens(json: tokens.json))
        #expect(copy.json == tokens.json)
        #expect(copy.idToken?.subject == ClientFixture.user && copy.expiresAt == tokens.expiresAt)
        #expect(!"\(tokens)".contains("access-1") && !String(reflecting: tokens).contains("refresh-1"))
    }

    // MARK: User, revocation, logout

    @Test("OIDC Core 5.3: userinfo must have the ID token's subject")
    func userInfo() async throws {
        fixture.transport.answer("/userinfo", 200, ["sub": .string(ClientFixture.user), "name": "Ann"])
        let user = try await manager.userInfo()
        #expect(user.claims["name"] == "Ann")
        #expect(fixture.transport.sent("/userinfo").first?.fields["Authorization"] == "Bearer access-1")
        fixture.transport.answer("/userinfo", 200, ["sub": "auth0|other"])
        #expect(await failure { try await manager.userInfo() } == .tokenInvalid(.subject))
        fixture.transport.answer("/userinfo", 401, ["error": "invalid_token"])
        #expect(await failure { try await manager.userInfo() } == .loginAgain)
    }

    @Test("RFC 7009: a revocation deletes the credentials after the server confirmed it")
    func revoke() async throws {
        fixture.transport.answer("/oauth/revoke", failing: .timedOut)
        #expect(await failure { try await manager.revoke() } == .network("the server did not answer in time"))
        #expect(!store.isEmpty)
        fixture.transport.answer("/oauth/revoke") { _ in ClientResponse(status: 200, fields: [:], body: []) }
        try await manager.revoke()
        let form = try #require(fixture.transport.sent("/oauth/revoke").last).form
        #expect(form["token"] == "refresh-1" && form["token_type_hint"] == "refresh_token")
        #expect(form["client_id"] == "agent")
        #expect(store.isEmpty)
    }

    /// Records the pages that it was asked to open.
    private final class Pages: UserAgent {
        let logoutReturn: URL?
        private let pages = Mutex<[URL]>([])

        var shown: [URL] { pages.withLock(\.self) }

        init(returnTo: String? = nil) { logoutReturn = returnTo.flatMap { URL(string: $0) } }

        func prepare() async throws(CountersignError) -> any PreparedRedirect { throw .noBrowser("not here") }
        func show(logout page: URL) async throws(CountersignError) { pages.withLock { $0.append(page) } }
    }

    @Test("OIDC RP-Initiated Logout 2: a logout revokes, deletes, and opens the server's page with the ID token")
    func logout() async throws {
        fixture.transport.answer("/oauth/revoke") { _ in ClientResponse(status: 200, fields: [:], body: []) }
        let idToken = try await manager.credentials().idToken
        let browser = Pages(returnTo: "app:/out")
        try await manager.logout(through: browser)
        let page = try #require(browser.shown.first)
        #expect(page.absoluteString.hasPrefix("https://id.example.org/oidc/logout?"))
        let fields = try FormFields(parsing: Array((page.query() ?? "").utf8))
        #expect(fields["id_token_hint"] == idToken?.encoded)
        #expect(fields["post_logout_redirect_uri"] == "app:/out")
        #expect(fields["client_id"] == "agent")
        #expect(store.isEmpty)
        #expect(fixture.transport.sent("/oauth/revoke").count == 1)
    }

    @Test("A logout deletes the credentials and ends the session even if the revocation fails")
    func logoutOffline() async throws {
        fixture.transport.answer("/oauth/revoke", failing: .timedOut)
        let browser = Pages()
        #expect(
            await failure { try await manager.logout(through: browser) }
                == .network("the server did not answer in time"))
        #expect(store.isEmpty)
        #expect(browser.shown.count == 1)
    }

    @Test("A logout during a refresh revokes the refresh's tokens, and none are stored")
    func logoutDuringRefresh() async throws {
        fixture.clock.advance(.seconds(31))
        let gate = Gate()
        let answer = try refreshed(2)
        fixture.transport.answer("/oauth/token") { _ in
            await gate.pass()
            return ClientResponse(status: 200, fields: [:], body: JSONWriter.bytes(answer))
        }
        fixture.transport.answer("/oauth/revoke") { _ in ClientResponse(status: 200, fields: [:], body: []) }
        async let tokens = manager.credentials()
        await gate.arrival()
        async let logout: Void = manager.logout(through: Pages())
        gate.open()
        #expect(try await tokens.accessToken == "access-2")
        try await logout
        #expect(fixture.transport.sent("/oauth/revoke").first?.form["token"] == "refresh-2")
        #expect(store.isEmpty)
        #expect(await failure { try await manager.credentials() } == .loginAgain)
    }

    @Test("Without an end_session_endpoint, Auth0's /v2/logout is used")
    func auth0Logout() async throws {
        let fixture = try ClientFixture()
        fixture.transport.discovery = .object(
            JSONObject(fixture.transport.discovery.objectValue ?? [:], without: "end_session_endpoint"))
        let url = try await fixture.client(.publicClient).logoutURL(returnTo: URL(string: "app:/out"))
        #expect(url.absoluteString == "https://id.example.org/v2/logout?client_id=agent&returnTo=app%3A%2Fout")
    }
}
