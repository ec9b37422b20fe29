import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Synchronization
import Testing

/// A scripted provider, and a clock that advances only while code sleeps.
final class ClientFixture: Sendable {
    static let issuer = "https://id.example.org/"
    static let user = "auth0|65f0c3"

    let clock = ManualClock()
    let transport: ScriptedTransport
    let key: OpenSSLSigner

    init(algorithm: JWSAlgorithm = .es256) throws {
        key = try OpenSSLSigner.generate(algorithm: algorithm, keyID: "key-1")
        transport = ScriptedTransport(clock: clock)
        transport.publish([key.publicKey])
        transport.discovery = [
            "issuer": .string(Self.issuer), "jwks_uri": "https://id.example.org/.well-known/jwks.json",
            "token_endpoint": "https://id.example.org/oauth/token",
            "backchannel_authentication_endpoint": "https://id.example.org/bc-authorize",
            "authorization_endpoint": "https://id.example.org/authorize",
            "userinfo_endpoint": "https://id.example.org/userinfo",
            "revocation_endpoint": "https://id.example.org/oauth/revoke",
            "end_session_endpoint": "https://id.example.org/oidc/logout",
            "authorization_response_iss_parameter_supported": true,
        ]
    }

    var environment: CountersignClient.Environment {
        CountersignClient.Environment(
            transport: transport, verifier: OpenSSLVerifier(), hashing: OpenSSLHashing(), clock: clock)
    }

    func client(
        _ authentication: ClientAuthentication = .secretPost("s3cret"), clock: (any PollingClock)? = nil
    ) throws -> CountersignClient {
        var environment = environment
        if let clock { environment.clock = clock }
        return try CountersignClient(
            issuer: try #require(URL(string: Self.issuer)), clientID: "agent", authentication: authentication,
            environment: environment)
    }

    /// Starts a request that expires after `expiresIn` seconds.
    func start(_ client: CountersignClient, expiresIn: Int = 300) async throws -> PendingAuthorization {
        transport.answer(
            "/bc-authorize", 200,
            ["auth_req_id": "req-1", "expires_in": .number(JSONNumber(expiresIn)), "interval": 5])
        return try await client.start(BackchannelRequest(user: Self.user, bindingMessage: "Order 4711"))
    }

    /// Scripts the answer to a login's code exchange, with changes to the ID token and the answer.
    func answerExchange(
        of pending: PendingLogin, claims: JSONObject = [:], _ changes: JSONObject = [:]
    ) throws {
        let nonce = try #require(FormFields(parsing: Array((pending.url.query() ?? "").utf8))["nonce"])
        var all = idTokenClaims
        all["nonce"] = .string(nonce)
        for (name, value) in claims { all[name] = value.isNull ? nil : value }
        var body: JSONObject = ["id_token": .string(try sign(all))]
        for (name, value) in changes { body[name] = value }
        transport.answer("/oauth/token", 200, try tokenResponse(body))
    }

    /// Tokens of a login, which expire after 90 seconds.
    func loggedIn(_ client: CountersignClient, scope: String = "openid offline_access") async throws -> Tokens {
        var parameters = AuthorizationParameters(scope: scope.split(separator: " ").map(String.init))
        parameters.audience = "https://api.example.com"
        let pending = try await client.beginLogin(parameters, redirectURI: "app:/callback")
        try answerExchange(
            of: pending, claims: ["auth_time": JSONValue(clock.now.seconds)],
            ["refresh_token": "refresh-1", "scope": .string(scope), "expires_in": 90])
        return try await client.finishLogin(pending, callback: callback(to: pending))
    }

    /// The redirect URI with a code, and with changes to its parameters.
    func callback(to pending: PendingLogin, _ changes: JSONObject = [:]) throws -> URL {
        var fields: JSONObject = ["code": "code-1", "state": .string(pending.state), "iss": .string(Self.issuer)]
        for (name, value) in changes { fields[name] = value.isNull ? nil : value }
        let form = FormFields(fields.map { ($0.name, $0.value.stringValue ?? "") })
        return try #require(URL(string: "\(pending.redirectURI)?\(form.encoded)"))
    }

    /// Claims of a valid ID token.
    var idTokenClaims: JSONObject {
        [
            "iss": .string(Self.issuer), "sub": .string(Self.user), "aud": "agent",
            "iat": JSONValue(clock.now.seconds), "exp": JSONValue(clock.now.seconds + 36_000),
        ]
    }

    func sign(
        _ claims: JSONObject, type: String? = "JWT", with signer: OpenSSLSigner? = nil
    ) throws -> String {
        try JWS.sign(JSONWriter.bytes(.object(claims)), type: type, with: signer ?? key)
    }

    func tokenResponse(_ changes: JSONObject = [:]) throws -> JSONValue {
        var body: JSONObject = [
            "access_token": "access-1", "token_type": "Bearer", "expires_in": 86_400, "scope": "openid",
            "id_token": .string(try sign(idTokenClaims)),
        ]
        for (name, value) in changes { body[name] = value.isNull ? nil : value }
        return .object(body)
    }
}

/// Time that advances only during sleeps.
final class ManualClock: PollingClock {
    private let time = Mutex(Timestamp(seconds: 1_800_000_000))
    private let waits = Mutex<[Duration]>([])

    var now: Timestamp { time.withLock { $0 } }
    /// Lengths of the sleeps, in seconds.
    var sleeps: [Double] { waits.withLock { $0.map { Double($0.milliseconds) / 1000 } } }

    func advance(_ duration: Duration) { time.withLock { $0 = $0 + duration } }

    func sleep(for duration: Duration) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        waits.withLock { $0.append(duration) }
        advance(duration)
    }
}

/// Answers with the script of each path, in order, and records the requests.
final class ScriptedTransport: HTTPClient {
    typealias Answer = @Sendable (ClientRequest) async throws -> ClientResponse

    struct Sent: Sendable {
        let path: String
        let fields: HTTPFields
        let form: FormFields
        /// Seconds since the script began.
        let time: Double
    }

    private struct State {
        var answers: [String: [Answer]] = [:]
        var sent: [Sent] = []
        var discovery: JSONValue = [:]
        var keys: JSONValue = [:]
        var cacheControl: String?
        var publishedFailure: HTTPClientError?
    }

    private let state = Mutex(State())
    private let clock: ManualClock
    private let start: Timestamp

    init(clock: ManualClock) {
        self.clock = clock
        start = clock.now
    }

    var sent: [Sent] { state.withLock { $0.sent } }
    func sent(_ path: String) -> [Sent] { sent.filter { $0.path == path } }

    var discovery: JSONValue {
        get { state.withLock { $0.discovery } }
        set { state.withLock { $0.discovery = newValue } }
    }

    func publish(_ keys: [JWK], cacheControl: String? = nil) {
        state.withLock { state in
            state.keys = JWKSet(keys: keys).json
            state.cacheControl = cacheControl
        }
    }

    /// Makes the published documents unavailable or available.
    func fail(_ failure: HTTPClientError?) { state.withLock { $0.publishedFailure = failure } }

    func answer(_ path: String, _ status: Int, _ body: JSONValue, _ fields: HTTPFields = [:]) {
        answer(path) { _ in ClientResponse(status: status, fields: fields, body: JSONWriter.bytes(body)) }
    }

    func answer(_ path: String, failing failure: HTTPClientError) { answer(path) { _ in throw failure } }

    func answer(_ path: String, _ answer: @escaping Answer) {
        state.withLock { $0.answers[path, default: []].append(answer) }
    }

    /// An OAuth error at the token endpoint.
    func refuse(_ error: String, status: Int = 400, _ more: JSONObject = [:], _ fields: HTTPFields = [:]) {
        var body: JSONObject = ["error": .string(error), "error_description": .string("about \(error)")]
        for (name, value) in more { body[name] = value }
        answer("/oauth/token", status, .object(body), fields)
    }

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        let path = request.url.replacingOccurrences(of: "https://id.example.org", with: "")
        let now = clock.now
        let form = (try? FormFields(parsing: request.body ?? [])) ?? FormFields()
        let answer: Answer? = state.withLock { state in
            state.sent.append(
                Sent(
                    path: path, fields: request.fields, form: form,
                    time: Double((now - start).milliseconds) / 1000))
            guard path.hasPrefix("/.well-known/") else {
                return state.answers[path]?.isEmpty == false ? state.answers[path]?.removeFirst() : nil
            }
            if let failure = state.publishedFailure { return { _ in throw failure } }
            let body = path.hasSuffix("jwks.json") ? state.keys : state.discovery
            let fields: HTTPFields = state.cacheControl.map { ["Cache-Control": $0] } ?? [:]
            return { _ in ClientResponse(status: 200, fields: fields, body: JSONWriter.bytes(body)) }
        }
        guard let answer else { throw .other("the script has no answer for \(path)") }
        do {
            return try await answer(request)
        } catch {
            throw error as? HTTPClientError ?? .cancelled
        }
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        throw .other("the script has no streams")
    }
}

/// The token problem that `body` throws, or nil.
func refusal(_ body: () async throws -> Void) async -> TokenProblem? {
    do {
        try await body()
        return nil
    } catch CountersignError.tokenInvalid(let problem) {
        return problem
    } catch {
        Issue.record("unexpected: \(error)")
        return nil
    }
}

/// The error that `body` throws.
func failure(_ body: () async throws -> some Sendable) async -> CountersignError? {
    do {
        _ = try await body()
        return nil
    } catch {
        if let error = error as? CountersignError { return error }
        Issue.record("unexpected: \(error)")
        return nil
    }
}

extension JSONObject {
    init(_ object: JSONObject, without name: String) {
        self = object
        self[name] = nil
    }
}
