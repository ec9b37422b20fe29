import HTTPModel
public import JOSE
import OAuthWire
public import PlatformFoundation
import Primitives

/// A client of the server. It asks a user for approval by Client-Initiated Backchannel Authentication (CIBA): start a
/// request, wait for the user's answer, get verified tokens.
///
/// ```swift
/// let client = try CountersignClient(
///     issuer: issuer, clientID: "agent", authentication: .secretPost(secret))
/// let pending = try await client.start(
///     BackchannelRequest(user: "auth0|65f0", bindingMessage: "Order 4711"))
/// let tokens = try await client.tokens(for: pending)
/// ```
///
/// It can also log a user in with a browser, by the authorization code flow with PKCE:
///
/// ```swift
/// let client = try CountersignClient(issuer: issuer, clientID: "app", authentication: .publicClient)
/// let tokens = try await client.login(through: browser)
/// ```
public final class CountersignClient: Sendable {
    /// Signature algorithms accepted by default. `none` and shared secrets are never accepted.
    public static let standardAlgorithms: Set<JWSAlgorithm> = [.rs256, .ps256, .es256, .edDSA]

    /// Maximum lifetime in seconds, ten years. Longer lifetimes in responses are shortened to it, so that dates do not
    /// overflow.
    private static let longestLife = 315_360_000

    let environment: Environment
    let provider: Provider
    let clientID: String
    private let authentication: ClientAuthentication
    private let algorithms: Set<JWSAlgorithm>

    /// `algorithms` are accepted for ID tokens. Nil for `environment` means the system's.
    public init(
        issuer: URL, clientID: String, authentication: ClientAuthentication,
        algorithms: Set<JWSAlgorithm> = CountersignClient.standardAlgorithms, environment: Environment? = nil
    ) throws(CountersignError) {
        let environment = if let environment { environment } else { try Environment.system() }
        self.environment = environment
        provider = try Provider(issuer: issuer, environment: environment)
        self.clientID = clientID
        self.authentication = authentication
        self.algorithms = algorithms
    }

    // MARK: Start

    /// Starts a backchannel request (CIBA Core 7). A request with an error is not sent.
    ///
    /// If the network fails, the request is sent once more after a second, under the same `Idempotency-Key`. A server
    /// that knows the header, as Countersign does, asks the user once even if it got both.
    public func start(_ request: BackchannelRequest) async throws(CountersignError) -> PendingAuthorization {
        let metadata = try await provider.metadata()
        guard let endpoint = metadata.backchannelAuthenticationEndpoint else {
            throw .protocolViolation("the server does not offer backchannel authentication")
        }
        let began = environment.clock.now
        let form = try request.form(issuer: metadata.issuer)
        let response = try await postTwice(form, to: endpoint, fields: try request.fields(environment.random))
        guard response.status == 200 else { throw ErrorAnswer(response).startError }
        guard let body = try? JSONReader.parse(response.body), let answer = BackchannelAuthenticationResponse(body)
        else { throw .protocolViolation("the acknowledgement lacks auth_req_id or expires_in") }
        let expiresIn = min(answer.expiresIn, Self.longestLife)
        return PendingAuthorization(
            authReqID: answer.authReqID, expiresIn: expiresIn,
            interval: PendingAuthorization.bounded(answer.interval ?? 5),
            expiresAt: (began + .seconds(expiresIn)).date, user: request.user,
            approvalURI: answer.approvalURI.flatMap { $0.hasPrefix("https://") ? URL(string: $0) : nil },
            matchingCode: answer.matchingCode, scope: request.scope)
    }

    // MARK: Wait

    /// Waits for the answer at the server's pace: its `interval`, 5 seconds more for each `slow_down` (RFC 8628
    /// clause 3.5), a longer `Retry-After`, and growing pauses while the network fails.
    ///
    /// If the task is cancelled, the request is withdrawn as by ``cancel(_:)``, which takes at most 5 seconds, and this
    /// throws `cancelled`. To stop waiting without withdrawing the request, use ``states(of:longPoll:)``.
    ///
    /// - Parameters:
    ///   - pending: The result of ``start(_:)``.
    ///   - longPoll: Maximum time that the server may hold each poll (`Prefer: wait`, RFC 7240), in whole seconds. With
    ///     a server that supports it, tokens arrive within milliseconds of the answer. Nil polls without it.
    public func tokens(
        for pending: PendingAuthorization, longPoll: Duration? = nil
    ) async throws(CountersignError) -> Tokens {
        var poller = Poller(self, pending, longPoll: longPoll)
        do throws(CountersignError) {
            while let state = try await poller.next() {
                if case .approved(let tokens) = state { return tokens }
            }
        } catch {
            if error == .cancelled { await withdraw(pending) }
            throw error
        }
        throw .expired
    }

    /// Waits as ``tokens(for:longPoll:)`` does, and returns the states in between, for showing progress. The sequence
    /// ends after `approved`, or throws a `CountersignError`.
    public func states(of pending: PendingAuthorization, longPoll: Duration? = nil) -> AuthorizationStates {
        AuthorizationStates(poller: Poller(self, pending, longPoll: longPoll))
    }

    /// Polls once. The caller must keep to the interval.
    public func redeem(_ pending: PendingAuthorization) async throws(CountersignError) -> AuthorizationState {
        let interval = pending.pause
        switch try await poll(pending, longPoll: nil) {
        case .redeemed(let redeemed): return .approved(try await tokens(in: redeemed, for: pending))
        case .pending(let retryAfter, _): return .pending(nextPoll: max(interval, retryAfter ?? .zero))
        case .slowDown(let wanted): return .slowDown(nextPoll: max(interval + .seconds(5), wanted ?? .zero))
        case .unavailable(let error, _): throw error
        }
    }

    enum PollOutcome {
        case redeemed(Redeemed)
        case pending(retryAfter: Duration?, wasHeld: Bool)
        /// The longer one of the server's `interval` and `Retry-After`.
        case slowDown(wanted: Duration?)
        /// The server failed or limits requests: `network` or `rateLimited`.
        case unavailable(CountersignError, retryAfter: Duration?)
    }

    /// Sends one token request (CIBA Core 10.1). An `auth_req_id` yields tokens once, so everything else that is needed
    /// is fetched before.
    func poll(_ pending: PendingAuthorization, longPoll: Duration?) async throws(CountersignError) -> PollOutcome {
        var form = FormFields()
        form.append("grant_type", GrantType.ciba.rawValue)
        form.append("auth_req_id", pending.authReqID)
        let response = try await redeem(
            form, prefer: longPoll.map { "wait=\($0.components.seconds)" }, timeout: .seconds(30) + (longPoll ?? .zero))
        if response.status == 200 { return .redeemed(try redeemed(response)) }
        let answer = ErrorAnswer(response)
        switch answer.code {
        case .authorizationPending: return .pending(retryAfter: answer.retryAfter, wasHeld: answer.wasHeld)
        case .slowDown: return .slowDown(wanted: [answer.interval, answer.retryAfter].compactMap { $0 }.max())
        default: break
        }
        let error = answer.pollError
        switch error {
        case .network, .rateLimited: return .unavailable(error, retryAfter: answer.retryAfter)
        default: throw error
        }
    }

    // MARK: Tokens

    /// A token response, which the server gives only once. Its ID token is not verified yet.
    struct Redeemed: Sendable {
        var answer: TokenResponse
        /// Expiry of the access token. Nil means that the server did not state it.
        let expiresAt: Date?
    }

    /// Sends a request whose credential can be used once. Keys are fetched first, so that the tokens can be verified.
    func redeem(
        _ form: FormFields, prefer: String? = nil, timeout: Duration = .seconds(30)
    ) async throws(CountersignError) -> ClientResponse {
        try await provider.fetchKeys()
        return try await post(
            form, to: try await provider.metadata().tokenEndpoint, fields: prefer.map { ["Prefer": $0] } ?? [:],
            timeout: timeout)
    }

    func redeemed(_ response: ClientResponse) throws(CountersignError) -> Redeemed {
        guard let body = try? JSONReader.parse(response.body), let answer = TokenResponse(body),
            !answer.accessToken.isEmpty
        else { throw .protocolViolation("the token response lacks access_token or token_type") }
        // A client must not use a token whose type it does not understand (RFC 6749 clause 7.1).
        guard answer.tokenType.lowercased() == "bearer" else {
            throw .protocolViolation("the token type is \(answer.tokenType), not Bearer")
        }
        let life = min(answer.expiresIn, Self.longestLife)
        return Redeemed(answer: answer, expiresAt: life > 0 ? (environment.clock.now + .seconds(life)).date : nil)
    }

    /// Verifies the tokens of an approved request. This can be repeated if the keys could not be fetched.
    func tokens(in redeemed: Redeemed, for pending: PendingAuthorization) async throws(CountersignError) -> Tokens {
        let issuer = try await provider.metadata().issuer
        return try await tokens(
            in: redeemed, scope: pending.scope,
            by: IDTokenRules(
                issuer: issuer, clientID: clientID, subject: LoginHint(user: pending.user, issuer: issuer).subject))
    }

    /// `scope` is the requested scope. It is also the granted scope if the response does not state one (RFC 6749
    /// clause 5.1).
    func tokens(
        in redeemed: Redeemed, scope: [String], by rules: IDTokenRules
    ) async throws(CountersignError) -> Tokens {
        let answer = redeemed.answer
        // A response to a refresh may omit the ID token (OIDC Core 12.2).
        guard answer.idToken != nil || rules.previous != nil || !scope.contains("openid") else {
            throw .protocolViolation("the token response lacks an id_token, although openid was requested")
        }
        var idToken = rules.previous
        if let encoded = answer.idToken {
            var rules = rules
            rules.accessToken = answer.accessToken
            idToken = try await verify(encoded, by: rules)
        }
        return Tokens(
            accessToken: answer.accessToken, idToken: idToken, refreshToken: answer.refreshToken,
            scope: answer.scope?.split(separator: " ").map(String.init) ?? scope, expiresAt: redeemed.expiresAt,
            tokenType: answer.tokenType, authorizationDetails: answer.authorizationDetails?.arrayValue ?? [],
            approvalReceipt: answer.approvalReceipt)
    }

    /// Verifies an ID token for this client (OIDC Core 3.1.3.7).
    ///
    /// - Parameters:
    ///   - idToken: The JWT as received.
    ///   - subject: The user that it must be about. Nil accepts any.
    ///   - nonce: The nonce of the request. Nil means that none was sent.
    ///   - accessToken: The access token from the same response. It is compared with `at_hash` if the ID token has one.
    public func verify(
        idToken: String, subject: String? = nil, nonce: String? = nil, accessToken: String? = nil
    ) async throws(CountersignError) -> IDToken {
        let issuer = try await provider.metadata().issuer
        return try await verify(
            idToken,
            by: IDTokenRules(
                issuer: issuer, clientID: clientID, subject: subject, nonce: nonce, accessToken: accessToken))
    }

    private func verify(_ encoded: String, by rules: IDTokenRules) async throws(CountersignError) -> IDToken {
        let token = try await provider.verified(encoded, algorithms: algorithms)
        do throws(TokenProblem) {
            let (claims, subject) = try rules.check(token, hashing: environment.hashing, now: environment.clock.now)
            return IDToken(encoded: encoded, claims: claims, subject: subject)
        } catch {
            throw .tokenInvalid(error)
        }
    }

    // MARK: HTTP

    func post(
        _ form: FormFields, to url: String, fields: HTTPFields = [:], timeout: Duration = .seconds(30)
    ) async throws(CountersignError) -> ClientResponse {
        var (form, fields) = (form, fields)
        fields.set("Content-Type", "application/x-www-form-urlencoded")
        fields.set("Accept", "application/json")
        let occasion = ClientAuthentication.Occasion(
            audience: try await provider.metadata().issuer, now: environment.clock.now, random: environment.random)
        do {
            try authentication.apply(clientID: clientID, to: &form, &fields, occasion)
        } catch {
            throw .invalidRequest("the client's key could not sign: \(error)")
        }
        return try await send(
            ClientRequest(method: .post, url: url, fields: fields, body: Array(form.encoded.utf8), timeout: timeout))
    }

    /// Posts, and once more if the network fails: for a request that the server recognizes when it gets it twice.
    private func postTwice(
        _ form: FormFields, to url: String, fields: HTTPFields
    ) async throws(CountersignError) -> ClientResponse {
        do throws(CountersignError) {
            return try await post(form, to: url, fields: fields)
        } catch {
            guard case .network = error else { throw error }
            do { try await environment.clock.sleep(for: .seconds(1)) } catch { throw .cancelled }
            // The assertion of a key is used once, so `post` makes another.
            return try await post(form, to: url, fields: fields)
        }
    }

    func send(_ request: ClientRequest) async throws(CountersignError) -> ClientResponse {
        do throws(HTTPClientError) {
            return try await environment.transport.send(request)
        } catch {
            throw CountersignError(error)
        }
    }
}
