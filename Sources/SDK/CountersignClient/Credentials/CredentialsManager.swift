import OAuthWire
import PlatformFoundation
import Primitives

/// Stores one person's credentials, returns access tokens that are valid for a while, and refreshes them when they are
/// not.
///
/// ```swift
/// let manager = CredentialsManager(client: client, store: store)
/// try await manager.login(parameters, through: browser)
/// let token = try await manager.credentials().accessToken
/// ```
///
/// Concurrent callers share one refresh: a server that rotates refresh tokens treats a second use as theft (RFC 9700
/// clause 4.14.2). A new refresh token is stored before any caller gets the new access token. Create only one manager
/// per store, since two would not know of each other's refreshes.
public actor CredentialsManager {
    private struct Demand: Hashable {
        /// Nil means all granted scopes.
        let scope: Set<String>?
        let lifetime: Duration
    }

    private let client: CountersignClient
    private let store: any CredentialStore
    private var content = Content.unread
    /// Access tokens with fewer scopes, kept in memory only.
    private var narrowed: [Set<String>: Tokens] = [:]
    private var flights: [Demand: Flight<Tokens>] = [:]
    /// Serializes changes of the content and calls of the store.
    private var turn = Turn()

    public init(client: CountersignClient, store: any CredentialStore) {
        self.client = client
        self.store = store
    }

    // MARK: Login

    /// Logs the person in and stores the tokens. Request the scope `offline_access` for a refresh token. Without one,
    /// the credentials end with the access token.
    @discardableResult
    public func login(
        _ parameters: AuthorizationParameters, through agent: any UserAgent
    ) async throws(CountersignError) -> Tokens {
        let tokens = try await client.login(parameters, through: agent)
        try await keep(tokens)
        return tokens
    }

    /// Replaces the stored tokens by tokens obtained in another way, such as by CIBA.
    public func keep(_ tokens: Tokens) async throws(CountersignError) {
        await takeTurn()
        defer { turn.end() }
        narrowed = [:]
        try await save(tokens)
    }

    // MARK: Use

    /// The stored credentials, refreshed if necessary.
    ///
    /// - Parameters:
    ///   - minimumLifetime: Minimum remaining lifetime of the access token. If the server issues shorter ones, every
    ///     call refreshes.
    ///   - scope: Scopes of the access token, a subset of those granted. Nil means all of them.
    /// - Throws: `loginAgain` if no credentials are valid for this. They are deleted if the server no longer accepts
    ///   the refresh token, or if they expired and there is no refresh token. `network` if the server cannot be
    ///   reached. The credentials stay then.
    public func credentials(
        minimumLifetime: Duration = .seconds(60), scope: [String]? = nil
    ) async throws(CountersignError) -> Tokens {
        let demand = Demand(scope: scope.map(Set.init), lifetime: minimumLifetime)
        if let tokens = try found(for: demand) { return tokens }
        // The task does not belong to the caller: a started refresh must complete even if the caller stops waiting.
        let flight = flights[demand] ?? Task { await share(demand) }
        flights[demand] = flight
        return try await flight.outcome()
    }

    /// The server's claims about the person (OIDC Core 5.3).
    public func userInfo() async throws(CountersignError) -> UserInfo { try await client.userInfo(credentials()) }

    // MARK: Logout

    /// Revokes the refresh token (RFC 7009), and then deletes the credentials. They are kept if the server cannot be
    /// reached.
    public func revoke() async throws(CountersignError) {
        await takeTurn()
        defer { turn.end() }
        if let token = try await kept()?.refreshToken { try await client.revoke(refreshToken: token) }
        try await clear()
    }

    /// Deletes the credentials, revokes the refresh token, and ends the session of the person's browser with the
    /// server.
    ///
    /// Every step is tried even if another one fails. Afterwards the first failure is thrown.
    public func logout(through agent: any UserAgent) async throws(CountersignError) {
        var failures: [CountersignError] = []
        let tokens = await forget(&failures)
        do throws(CountersignError) {
            if let token = tokens?.refreshToken { try await client.revoke(refreshToken: token) }
        } catch { failures.append(error) }
        do throws(CountersignError) {
            let page = try await client.logoutURL(idToken: tokens?.idToken, returnTo: agent.logoutReturn)
            try await agent.show(logout: page)
        } catch { failures.append(error) }
        if let first = failures.first { throw first }
    }

    /// Deletes the stored tokens and returns them.
    private func forget(_ failures: inout [CountersignError]) async -> Tokens? {
        await takeTurn()
        defer { turn.end() }
        var tokens: Tokens?
        do throws(CountersignError) { tokens = try await kept() } catch { failures.append(error) }
        do throws(CountersignError) { try await clear() } catch { failures.append(error) }
        return tokens
    }

    // MARK: Refresh

    /// A cached token that satisfies the request.
    private func found(for demand: Demand) throws(CountersignError) -> Tokens? {
        guard case .tokens(let tokens) = content else { return nil }
        let granted = Set(tokens.scope)
        guard let wanted = demand.scope, wanted != granted else { return lives(tokens, demand) ? tokens : nil }
        guard wanted.isSubset(of: granted) else {
            throw .tokenInvalid(.insufficientScope(missing: wanted.subtracting(granted).sorted()))
        }
        return narrowed[wanted].flatMap { lives($0, demand) ? $0 : nil }
    }

    private func lives(_ tokens: Tokens, _ demand: Demand) -> Bool {
        guard let end = tokens.expiresAt else { return true }
        return end.timeIntervalSince(client.environment.clock.now.date) * 1000 > Double(demand.lifetime.milliseconds)
    }

    private func share(_ demand: Demand) async -> Result<Tokens, CountersignError> {
        await takeTurn()
        defer {
            turn.end()
            flights[demand] = nil
        }
        do throws(CountersignError) {
            guard let kept = try await kept() else { throw .loginAgain }
            // A previous caller may have refreshed.
            if let tokens = try found(for: demand) { return .success(tokens) }
            return .success(try await refresh(kept, scope: demand.scope == Set(kept.scope) ? nil : demand.scope))
        } catch {
            return .failure(error)
        }
    }

    private func refresh(_ old: Tokens, scope: Set<String>?) async throws(CountersignError) -> Tokens {
        guard old.refreshToken != nil else {
            // A token that still lives may be too short for this request and long enough for another one.
            if let end = old.expiresAt, end <= client.environment.clock.now.date { try await clear() }
            throw .loginAgain
        }
        let redeemed: CountersignClient.Redeemed
        do throws(CountersignError) {
            redeemed = try await client.refreshed(old, scope: scope?.sorted())
        } catch {
            if error == .loginAgain { try await clear() }
            throw error
        }
        // The old refresh token may be used up now, and the remaining steps can fail. The new one is saved first.
        var current = old
        if let token = redeemed.answer.refreshToken, token != old.refreshToken {
            current.refreshToken = token
            try await save(current)
        }
        let new = try await client.tokens(in: redeemed, refreshing: current, scope: scope?.sorted())
        if let scope { narrowed[scope] = new } else { try await save(new) }
        return new
    }

    // MARK: Store

    private enum Content {
        /// Stored, but not read yet.
        case unread
        case none
        case tokens(Tokens)
        /// The store failed to save these tokens.
        case unsaved(Tokens)
    }

    /// The stored tokens. Retries a save that failed.
    private func kept() async throws(CountersignError) -> Tokens? {
        switch content {
        case .none: return nil
        case .tokens(let tokens): return tokens
        case .unsaved(let tokens):
            try await save(tokens)
            return tokens
        case .unread:
            guard let data = try await storing({ try await store.load() }) else {
                content = .none
                return nil
            }
            guard let tokens = (try? JSONReader.parse(Array(data))).flatMap(Tokens.init) else {
                throw .storage("the stored credentials are damaged")
            }
            content = .tokens(tokens)
            return tokens
        }
    }

    private func save(_ tokens: Tokens) async throws(CountersignError) {
        content = .unsaved(tokens)
        try await storing { try await store.save(Data(JSONWriter.bytes(tokens.json))) }
        content = .tokens(tokens)
    }

    private func clear() async throws(CountersignError) {
        content = .none
        narrowed = [:]
        try await storing { try await store.clear() }
    }

    private func storing<Result>(_ call: () async throws -> Result) async throws(CountersignError) -> Result {
        do { return try await call() } catch { throw .storage(String(describing: error)) }
    }

    private func takeTurn() async {
        guard turn.isTaken else { return turn.isTaken = true }
        await withCheckedContinuation { turn.waiting.append($0) }
    }
}

/// A queue in which one caller works at a time.
private struct Turn {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Passes the turn to the next caller.
    mutating func end() { if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() } }
}
