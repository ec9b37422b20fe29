package import CountersignClient
import JOSE
package import PlatformFoundation
package import Primitives

/// Asks a person about calls, and lets run only those that a verified approval covers.
///
/// Nothing but a yes of the person leads to `allow`: the access token and the receipt are verified, and compared with the
/// card of the very call that is about to run. The server gives the tokens of a request once, so a yes counts once.
package struct Gatekeeper: Sendable {
    /// The person to ask, and the terms.
    package struct Terms: Sendable {
        package let user: String
        package let audience: String
        /// Time to answer.
        package let expiry: Duration

        package init(user: String, audience: String, expiry: Duration) {
            (self.user, self.audience, self.expiry) = (user, audience, expiry)
        }
    }

    /// Time for which a server that cannot be reached is tried before a person was asked.
    private static let patience: Duration = .seconds(20)

    private let client: CountersignClient
    private let verifier: AccessTokenVerifier
    private let clientID: String
    private let issuer: String
    private let terms: Terms
    private let pending: PendingCalls
    private let environment: CountersignClient.Environment

    package init(
        issuer: URL, clientID: String, authentication: ClientAuthentication, terms: Terms, pending: PendingCalls,
        environment: CountersignClient.Environment
    ) throws(CountersignError) {
        client = try CountersignClient(
            issuer: issuer, clientID: clientID, authentication: authentication, environment: environment)
        verifier = try AccessTokenVerifier(
            issuer: issuer, audience: terms.audience, dialects: [.rfc9068, .auth0], environment: environment)
        (self.clientID, self.issuer, self.terms, self.pending) = (clientID, issuer.absoluteString, terms, pending)
        self.environment = environment
    }

    /// Decides about a call, at the latest about the time `deadline`. The person may answer later: the same call then gets
    /// the answer.
    package func decide(_ call: AgentCall, until deadline: Timestamp) async -> GateDecision {
        let card: CommandCard
        do throws(CommandCard.Unshowable) { card = try CommandCard(call, environment.hashing) } catch {
            return .deny(error.reason)
        }
        do {
            let now = environment.clock.now
            pending.prune(before: now - .seconds(259_200))
            let claimed = try pending.claim(call.place(environment.hashing))
            if let kept = claimed.read(), kept.addressee == addressee,
                CommandCard.bound(kept.detail) == CommandCard.bound(card.detail)
            {
                return try await decide(call, kept, claimed, until: deadline)
            }
            let new = PendingCall(
                key: key(of: call), detail: card.detail, addressee: addressee, startedAt: now)
            return try await decide(call, new, claimed, until: deadline)
        } catch let error as CountersignError {
            return refusal(error)
        } catch {
            return .leave("The pending call cannot be kept: \(error)")
        }
    }

    private var addressee: JSONObject {
        [
            "issuer": .string(issuer), "client_id": .string(clientID), "user": .string(terms.user),
            "audience": .string(terms.audience),
        ]
    }

    /// From the agent's id of the call, so that the request is found again although its file was lost, and by another hook
    /// of the same id.
    private func key(of call: AgentCall) -> String {
        guard let id = call.id else { return Base64URL.encode(environment.random.bytes(24)) }
        let text = "\(call.place(environment.hashing)) \(id)"
        return Base64URL.encode(environment.hashing.sha256(Array(text.utf8)))
    }

    private func decide(
        _ call: AgentCall, _ kept: PendingCall, _ claimed: ClaimedCall, until deadline: Timestamp
    ) async throws -> GateDecision {
        let approved: Tokens
        do {
            guard let request = try await request(kept, call, claimed, until: deadline) else {
                return .wait(waiting("The person got so many requests that the server leaves them alone for now."))
            }
            guard let tokens = try await tokens(of: request, until: deadline) else {
                return .wait(waiting("Nobody has answered yet."))
            }
            approved = tokens
        } catch let error as CountersignError {
            if Self.isFinal(error) { claimed.remove() }
            throw error
        }
        // The tokens are spent: whatever they prove, the next call asks again.
        claimed.remove()
        do { return try await decision(by: approved, on: call, kept.detail) } catch {
            let text = error.failureReason ?? "The request failed."
            return .deny("The approval could not be checked, and is spent: \(text) The same call asks again.")
        }
    }

    /// False if the same request may still be answered.
    private static func isFinal(_ error: CountersignError) -> Bool {
        switch error {
        case .network, .tls, .cancelled, .rateLimited, .clientRejected: false
        default: true
        }
    }

    /// The request that was started before, or a new one. Its key is stored before the start: after a crash, the same
    /// request is found instead of a second one made.
    private func request(
        _ kept: PendingCall, _ call: AgentCall, _ claimed: ClaimedCall, until deadline: Timestamp
    ) async throws -> PendingAuthorization? {
        if let request = kept.request { return request }
        try claimed.store(kept)
        guard let request = try await started(kept, call, until: deadline) else { return nil }
        var kept = kept
        kept.request = request
        try claimed.store(kept)
        return request
    }

    private func waiting(_ text: String) -> String {
        "\(text) Make exactly the same call again to go on waiting. It asks nobody a second time."
    }

    // MARK: start

    /// Nil at the deadline while the server allows no further request.
    private func started(
        _ kept: PendingCall, _ call: AgentCall, until deadline: Timestamp
    ) async throws(CountersignError) -> PendingAuthorization? {
        var request = BackchannelRequest(
            user: terms.user, bindingMessage: CommandCard.bindingMessage(call), audience: terms.audience,
            authorizationDetails: [.object(kept.detail)], requestedExpiry: terms.expiry, idempotencyKey: kept.key)
        request.approvalReceipt = true
        let began = environment.clock.now
        while true {
            let pause: Duration
            do throws(CountersignError) { return try await client.start(request) } catch {
                switch error {
                case .rateLimited(let wait):
                    pause = wait ?? .seconds(10)
                    if environment.clock.now + pause > deadline { return nil }
                case .network where environment.clock.now < min(began + Self.patience, deadline): pause = .seconds(2)
                default: throw error
                }
            }
            do { try await environment.clock.sleep(for: pause) } catch { throw .cancelled }
        }
    }

    // MARK: wait

    /// Nil at the deadline. The last poll ends before it, so that no answer is lost on its way.
    private func tokens(
        of request: PendingAuthorization, until deadline: Timestamp
    ) async throws(CountersignError) -> Tokens? {
        let left = (deadline - environment.clock.now).components.seconds
        let hold = Duration.seconds(max(1, min(50, left / 3)))
        var states = client.states(of: request, longPoll: hold).makeAsyncIterator()
        while true {
            let state: AuthorizationState?
            do { state = try await states.next() } catch let error as CountersignError { throw error } catch {
                throw .cancelled
            }
            let pause: Duration
            switch state {
            case .approved(let tokens): return tokens
            case .pending(let next), .slowDown(let next), .retrying(_, let next): pause = next
            case nil: throw .expired
            }
            if environment.clock.now + pause + hold > deadline { return nil }
        }
    }

    // MARK: proof

    private func decision(
        by tokens: Tokens, on call: AgentCall, _ shown: JSONObject
    ) async throws(CountersignError) -> GateDecision {
        let changed = GateDecision.deny("The approval is for something else than this call, so it does not run.")
        let token = try await verifier.verify(tokens.accessToken)
        guard let receipt = try await client.approvalReceipt(in: tokens) else { return changed }
        let detail = JSONValue.object(shown)
        // The card of the input that the agent is about to run, and not of what was stored.
        guard let card = try? CommandCard(call, environment.hashing),
            CommandCard.bound(card.detail) == CommandCard.bound(shown),
            tokens.authorizationDetails == [detail], token.authorizationDetails == [detail],
            receipt.authorizationDetails == [detail], token.clientID == clientID, receipt.user == token.subject,
            receipt.audience.id == terms.audience
        else { return changed }
        if let approval = token.claims["approval"] {
            guard approval["id"]?.stringValue == receipt.id, approval["digest"]?.stringValue == receipt.digest else {
                return changed
            }
        }
        return .allow("Allowed on the phone (\(receipt.id)).")
    }

    // MARK: refusals

    private func refusal(_ error: CountersignError) -> GateDecision {
        let text = error.failureReason ?? "The request failed."
        switch error {
        case .denied(nil): return .deny("The person rejected this call.")
        case .denied(let words?):
            // The person's own words, kept apart so that they cannot pass for the gate's.
            return .deny("The person rejected this call. Their words: \(JSONWriter.string(.string(words)))")
        case .expired:
            return .deny("Nobody answered in time. Make the same call again to ask again, if it still matters.")
        case .network, .tls, .undelivered: return .leave(text)
        case .cancelled: return .wait(waiting("The wait was interrupted."))
        case .noEligibleDevice(let problem) where problem.contains("requested_expiry"):
            return .deny("\(text). Give the client allow_long_push, or install the gate with --expires 5m.")
        case .invalidAuthorizationDetails:
            return .deny(
                "\(text) The API for agents and its limits come with: countersign api create --agent-tools")
        default: return .deny(text)
        }
    }
}
