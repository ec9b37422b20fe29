import ApprovalWire
package import AuthorizationCore
package import GuardianWire
import Primitives

/// Shows a request to its person in a browser, and takes the decision of the session if that is evidence enough.
package struct AnswerOnPage: Sendable {
    /// Everything that the page shows.
    package enum View: Sendable {
        case question(BackchannelRequest, mayAnswer: Bool)
        /// `isElsewhere` is true if a phone or another browser has decided.
        case ended(Ending, BackchannelRequest, isElsewhere: Bool)
        /// There is no such request of this person: perhaps there is one of another account.
        case notTheirs
    }

    package enum Ending: Sendable, CaseIterable { case allowed, rejected, reported, wrongNumber, withdrawn, expired }

    /// Effect of a form.
    package enum Effect: Sendable {
        /// The view tells which decision counts.
        case seen
        /// An approval of a request that the person has not read. Nothing has changed.
        case unread
    }

    /// A form of the page.
    package struct Answer: Sendable {
        let accepted: Bool
        let pick: MatchingNumber?
        let reason: String?
        let isReported: Bool
        let isRead: Bool

        private init(
            accepted: Bool, pick: MatchingNumber? = nil, reason: String? = nil, isReported: Bool = false,
            isRead: Bool = false
        ) {
            self.accepted = accepted
            self.pick = pick
            self.reason = reason
            self.isReported = isReported
            self.isRead = isRead
        }

        /// `pick` is the number that the person picked or typed. Nil for a request that asks for none. `isRead` is true if the form
        /// says that the person has read every part.
        package static func allow(pick: MatchingNumber? = nil, isRead: Bool) -> Answer {
            Answer(accepted: true, pick: pick, isRead: isRead)
        }

        /// `reason` has the person's own words. `isReported` is true if the person did not ask for the request.
        package static func reject(reason: String? = nil, isReported: Bool = false) -> Answer {
            Answer(accepted: false, reason: reason.flatMap(ChallengeResponse.kept), isReported: isReported)
        }
    }

    let store: any BackchannelResolveStore
    let secrets: GuardianTransactionTokens
    let vault: RequestVault
    let hub: DecisionHub
    let timer: any Timer
    /// Longest time that a browser waits for one answer.
    let hold: Duration

    /// Changes nothing.
    package func view(of id: ConsentID, for visitor: PageVisitor, _ context: RequestContext) async throws -> View {
        guard let (_, request) = try await request(id, for: .consent, of: visitor, context) else { return .notTheirs }
        return Self.view(of: request, for: visitor, context)
    }

    /// Returns when the page has something new to show, or after `hold`. True means that the browser goes on waiting.
    package func awaitChange(
        of id: ConsentID, for visitor: PageVisitor, atOnce: Bool = false, _ context: RequestContext
    ) async throws -> Bool {
        let now = context.now
        let hold = atOnce ? .zero : hold
        guard let request = try await pending(id, of: visitor, context) else { return false }
        let subscription = hub.subscribe(request.hash)
        defer { hub.unsubscribe(subscription, from: request.hash) }
        // Decided between the read and the subscription?
        guard try await pending(id, of: visitor, context) != nil else { return false }
        if !atOnce { await subscription.wait(min(hold, request.expiresAt - now), timer: timer) }
        // A server that stops holds nothing.
        guard now + hold < request.expiresAt, !hub.isReleased else { return false }
        return try await pending(id, of: visitor, context) != nil
    }

    /// Takes the person's answer, if the session may give it and nobody has decided before.
    ///
    /// - Parameter mayBeUnread: True for a request that may be allowed although the form does not say that the person
    ///   has read it.
    package func answer(
        _ id: ConsentID, _ answer: Answer, by visitor: PageVisitor, mayBeUnread: (BackchannelRequest) -> Bool,
        _ context: RequestContext
    ) async throws -> Effect {
        guard let (sealed, request) = try await request(id, for: .decision, of: visitor, context),
            case .question(_, mayAnswer: true) = Self.view(of: request, for: visitor, context)
        else { return .seen }
        if answer.accepted, !answer.isRead, !mayBeUnread(request) { return .unread }
        guard
            let checked = CheckedDecision(
                accepted: answer.accepted, reason: answer.reason, isReported: answer.isReported,
                match: secrets.match(answer.pick, of: request), of: request, settings: context.tenant.settings)
        else { return .seen }
        let proof = DecisionProof(
            session: visitor.session.deciding, cookie: visitor.session.hash, hashing: vault.hashing)
        let result = try await store.resolve(try vault.resolution(checked, by: proof, of: sealed, request, context))
        guard case .resolved(let hash) = result else { return .seen }
        hub.decided(hash)
        return .seen
    }

    private func pending(
        _ id: ConsentID, of visitor: PageVisitor, _ context: RequestContext
    ) async throws -> SealedRequest? {
        guard let sealed = try await store.request(of: id, tenant: context.tenant.id),
            Self.belongs(sealed, to: visitor), sealed.state == .pending, context.now < sealed.expiresAt
        else { return nil }
        return sealed
    }

    /// Nil if there is none of this person, or its row was changed.
    private func request(
        _ id: ConsentID, for purpose: RequestVault.Purpose, of visitor: PageVisitor, _ context: RequestContext
    ) async throws -> (SealedRequest, BackchannelRequest)? {
        guard let sealed = try await store.request(of: id, tenant: context.tenant.id),
            Self.belongs(sealed, to: visitor),
            let request = try await vault.open(sealed, for: purpose, context: context)
        else { return nil }
        return (sealed, request)
    }

    /// A login's request for a second factor is for the phone alone.
    private static func belongs(_ sealed: SealedRequest, to visitor: PageVisitor) -> Bool {
        sealed.user == visitor.user.id && sealed.login == nil
    }

    private static func view(
        of request: BackchannelRequest, for visitor: PageVisitor, _ context: RequestContext
    ) -> View {
        if request.state == .pending, !request.isExpired(at: context.now) {
            return .question(request, mayAnswer: context.configuration.takesSessionDecision(on: request))
        }
        let isElsewhere =
            switch request.outcome?.decider {
            case .device: true
            case .session(let session): session.id != visitor.session.deciding.id
            case nil: false
            }
        return .ended(ending(of: request), request, isElsewhere: isElsewhere)
    }

    private static func ending(of request: BackchannelRequest) -> Ending {
        switch request.state {
        case .pending, .expired: return .expired
        case .undelivered, .superseded: return .withdrawn
        case .approved, .redeemed: return .allowed
        case .denied:
            guard request.outcome?.decider != nil else { return .withdrawn }
            return switch request.outcome?.cause {
            case .reported: .reported
            case .wrongNumber: .wrongNumber
            case nil: .rejected
            }
        }
    }
}

extension TenantConfiguration {
    /// True if a session is evidence enough for the request: its person got a mail that leads to the page, or its
    /// client leads people to the page alone, and neither the tenant, the API nor a type of its details demands a
    /// signature.
    fileprivate func takesSessionDecision(on request: BackchannelRequest) -> Bool {
        guard let client = client(request.client), evidence(for: request) == nil else { return false }
        return switch request.channel {
        case .guardianPush: false
        case .email: client.notificationChannels?.contains(.email) == true
        case .page: client.takesSessionDecisions
        }
    }
}

extension Session {
    fileprivate var deciding: BackchannelRequest.DecidingSession {
        BackchannelRequest.DecidingSession(
            id: id, authenticatedAt: authentication.at, methods: authentication.methods,
            contextClass: authentication.contextClass)
    }
}
