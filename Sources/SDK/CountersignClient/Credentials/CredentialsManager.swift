import Foundation
import OAuthWire
import Primitives

/// Keeps one person's credentials: hands out access tokens that are still good for a while, and refreshes them when
/// they are not.
///
/// ```swift
/// let manager = CredentialsManager(client: client, store: store)
/// try await manager.login(parameters, through: browser)
/// let token = try await manager.credentials().accessToken
/// ```
///
/// However many ask at once, one refresh is under way: a server that rotates refresh tokens takes a second use of one
/// for theft (RFC 9700 clause 4.14.2). A new refresh token is stored before anybody gets the access token beside it.
/// Have one manager for a store: two would know nothing of each other's refreshes.
public actor CredentialsManager {
    private struct Wish: Hashable {
        /// Nil is all that was granted.
        let scope: Set<String>?
        let lifetime: Duration
    }

    private let client: CountersignClient
    private let store: any CredentialStore
    private var content = Content.unread
    /// Access tokens for a part of what was granted; only in memory.
    private var narrowed: [Set<String>: Tokens] = [:]
    private var flights: [Wish: Flight<Tokens>] = [:]
    /// Whatever changes the content or calls the store has its turn alone.
    private var turn = Turn()

    public init(client: CountersignClient, store: any CredentialStore) {
        self.client = client
        self.store = store
    }

    // MARK: Log in

    /// Lets the person log in, and keeps what that brings. `offline_access` among the scopes brings the refresh token
    /// without which the access token's end is the end.
    @discardableResult
    public func login(
        _ parameters: AuthorizationParameters, through agent: any UserAgent
    ) async throws(CountersignError) -> Tokens {
        let tokens = try await client.login(parameters, through: agent)
        try await keep(tokens)
        return tokens
    }

    /// Keeps tokens that came another way, such as by CIBA, in the place of those there are.
    public func keep(_ tokens: Tokens) async throws(CountersignError) {
        await takeTurn()
        defer { turn.end() }
        narrowed = [:]
        try await save(tokens)
    }

    // MARK: Use

    /// The credentials that are kept, refreshed where need be.
    ///
    /// - Parameters:
    ///   - minimumLifetime: how long the access token shall be good at least. Where the server gives tokens that live
    ///     shorter, each call refreshes.
    ///   - scope: what the access token shall be good for, of what was granted, when it should be no more than that;
    ///     nil takes all of it.
    /// - Throws: `loginAgain` where there are none that are good for this. They are removed where the server does not
    ///   take the refresh token any more, and where they ended and there is none; otherwise they stay. `network` where
    ///   the server cannot be reached; they stay then too.
    public func credentials(
        minimumLifetime: Duration = .seconds(60), scope: [String]? = nil
    ) async throws(CountersignError) -> Tokens {
        let wish = Wish(scope: scope.map(Set.init), lifetime: minimumLifetime)
        if let tokens = try found(for: wish) { return tokens }
        // It is not the caller's: a refresh that was sent must be seen through, whoever stops waiting for it.
        let flight = flights[wish] ?? Task { await fly(wish) }
        flights[wish] = flight
        return try await flight.landed()
    }

    /// What the server says of the person (OIDC Core 5.3).
    public func userInfo() async throws(CountersignError) -> UserInfo { try await client.userInfo(credentials()) }

    // MARK: Log out

    /// Has the server forget the refresh token (RFC 7009), and then removes the credentials. They are kept where the
    /// server cannot be reached.
    public func revoke() async throws(CountersignError) {
        await takeTurn()
        defer { turn.end() }
        if let token = try await kept()?.refreshToken { try await client.revoke(refreshToken: token) }
        try await clear()
    }

    /// Removes the credentials, has the server forget the refresh token, and ends the session that the person's
    /// browser has with the server.
    ///
    /// Everything is tried, whatever fails; then the first failure is thrown.
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

    /// Removes what is kept, and returns it.
    private func forget(_ failures: inout [CountersignError]) async -> Tokens? {
        await takeTurn()
        defer { turn.end() }
        var tokens: Tokens?
        do throws(CountersignError) { tokens = try await kept() } catch { failures.append(error) }
        do throws(CountersignError) { try await clear() } catch { failures.append(error) }
        return tokens
    }

    // MARK: Refresh

    /// What is at hand and good enough.
    private func found(for wish: Wish) throws(CountersignError) -> Tokens? {
        guard case .tokens(let tokens) = content else { return nil }
        let granted = Set(tokens.scope)
        guard let wanted = wish.scope, wanted != granted else { return lives(tokens, wish) ? tokens : nil }
        guard wanted.isSubset(of: granted) else {
            throw .tokenInvalid(.insufficientScope(missing: wanted.subtracting(granted).sorted()))
        }
        return narrowed[wanted].flatMap { lives($0, wish) ? $0 : nil }
    }

    private func lives(_ tokens: Tokens, _ wish: Wish) -> Bool {
        guard let end = tokens.expiresAt else { return true }
        return end.timeIntervalSince(client.environment.clock.now.date) * 1000 > Double(wish.lifetime.milliseconds)
    }

    private func fly(_ wish: Wish) async -> Result<Tokens, CountersignError> {
        await takeTurn()
        defer {
            turn.end()
            flights[wish] = nil
        }
        do throws(CountersignError) {
            guard let kept = try await kept() else { throw .loginAgain }
            // Whoever had the turn before may have refreshed.
            if let tokens = try found(for: wish) { return .success(tokens) }
            return .success(try await refresh(kept, scope: wish.scope == Set(kept.scope) ? nil : wish.scope))
        } catch {
            return .failure(error)
        }
    }

    private func refresh(_ old: Tokens, scope: Set<String>?) async throws(CountersignError) -> Tokens {
        guard old.refreshToken != nil else {
            // What lives may be no answer to this wish, and one to the next.
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
        // From here on the old refresh token may be used up, and what is left to do may need the network and fail.
        var current = old
        if let token = redeemed.answer.refreshToken, token != old.refreshToken {
            current.refreshToken = token
            try await save(current)
        }
        let new = try await client.tokens(in: redeemed, refreshing: current, scope: scope?.sorted())
        if let scope {
            narrowed[scope] = new
        } else {
            try await save(new)
        }
        return new
    }

    // MARK: Store

    private enum Content {
        /// In the store, not read yet.
        case unread
        case none
        case tokens(Tokens)
        /// The store failed to take them.
        case unsaved(Tokens)
    }

    /// What there is, once it is saved.
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
                throw .storage("what is stored is damaged")
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
        do {
            return try await call()
        } catch {
            throw .storage(String(describing: error))
        }
    }

    private func takeTurn() async {
        guard turn.isTaken else { return turn.isTaken = true }
        await withCheckedContinuation { turn.waiting.append($0) }
    }
}

/// One at a time, first come first served.
private struct Turn {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Hands over to the next, who then has it taken.
    mutating func end() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
