package import ApprovalWire
package import AuthorizationCore
import JOSE
package import Primitives

/// Shows administrators the requests of their tenant. Reading decides nothing.
package struct ReadRequests: Sendable {
    /// Rows that one page reads, whatever its filter finds among them.
    static let readLimit = 1000
    /// Stored requests whose states tell that a list changed.
    static let watched = 50
    /// Rows of one read, so that a filter that finds little takes few reads.
    private static let batch = 100

    package struct Filter: Sendable {
        package var user: UserID?
        package var client: ClientID?
        package var state: ShownRequest.State?

        package init(user: UserID? = nil, client: ClientID? = nil, state: ShownRequest.State? = nil) {
            self.user = user
            self.client = client
            self.state = state
        }
    }

    package struct Page: Sendable {
        package let requests: [ShownRequest]
        /// Nil on the last page. A page before it may have few requests, if its filter found no more.
        package let next: RequestPlace?
    }

    /// A receipt with the result of its verification.
    package struct CheckedReceipt: Sendable {
        /// The JWS.
        package let text: String
        /// The rules that it meets, or the one that it breaks.
        package let result: Result<VerifiedReceipt, ReceiptFailure>
    }

    let store: any RequestLog & DeliveryLog
    let vault: RequestVault
    let receipts: IssueReceipt
    let verifier: any Verifier

    /// The newest first. A row that was changed is left out and recorded.
    package func page(
        _ filter: Filter, behind place: RequestPlace, take count: Int, _ context: RequestContext
    ) async throws -> Page {
        var (requests, place, read) = ([ShownRequest](), place, 0)
        let limit = filter.client == nil && filter.state == nil ? count : max(count, Self.batch)
        while read < Self.readLimit {
            let found = try await store.requests(
                of: filter.user, tenant: context.tenant.id, behind: place, limit: limit)
            for element in found {
                place = element.place
                read += 1
                guard let content = element.content, filter.client == nil || content.client == filter.client,
                    let shown = try await shown(content, context),
                    filter.state == nil || shown.state == filter.state
                else { continue }
                requests.append(shown)
                if requests.count == count { return Page(requests: requests, next: place) }
            }
            if found.count < limit { return Page(requests: requests, next: nil) }
        }
        return Page(requests: requests, next: place)
    }

    /// Nil for an id that the tenant does not have, and for a row that was changed, which is recorded.
    package func request(_ consent: ConsentID, _ context: RequestContext) async throws -> ShownRequest? {
        guard let found = try await store.found(consent, tenant: context.tenant.id) else { return nil }
        let ended = try await found.ending.mapped { try await shown(.ended($0), context) }
        let stored = try await found.request.mapped { try await shown(.stored($0), context) }
        guard var request = stored ?? ended else { return nil }
        request.evidence = ended?.evidence
        return request
    }

    /// Nil without a decision.
    package func receipt(_ consent: ConsentID, _ context: RequestContext) async throws -> CheckedReceipt? {
        let text: String
        do {
            text = try await receipts.issue(consent, to: .operator, context)
        } catch is IssueReceipt.Failure {
            return nil
        }
        let verifier = ReceiptVerifier(
            keys: context.configuration.keys.published, verifier: self.verifier, hashing: vault.hashing)
        let result = Result<VerifiedReceipt, ReceiptFailure> { () throws(ReceiptFailure) in try verifier.verify(text) }
        return CheckedReceipt(text: text, result: result)
    }

    /// Something that differs once a tenant's newest requests, or one request or its deliveries, change.
    package func mark(of consent: ConsentID?, in tenant: TenantID) async throws -> [String] {
        guard let consent else {
            return try await store.requestStates(of: tenant, limit: Self.watched).map { "\($0.sequence) \($0.state)" }
        }
        let found = try await store.found(consent, tenant: tenant)
        let deliveries = try await store.deliveries(.request(consent), of: tenant, before: nil, limit: Self.watched)
        return ["\(found?.request?.state.rawValue ?? -1) \(found?.ending?.number ?? 0)"]
            + deliveries.map { "\($0.id) \($0.state) \($0.attempts)" }
    }

    package func digest(of request: ShownRequest) -> RequestDigest { request.record.digest(vault.hashing) }

    private func shown(_ content: PlacedRequest.Content, _ context: RequestContext) async throws -> ShownRequest? {
        switch content {
        case .stored(let sealed):
            try await vault.open(sealed, for: .history, context: context).map { ShownRequest($0, now: context.now) }
        case .ended(.decided(let approval)):
            try await vault.open(approval, context: context).map(ShownRequest.init)
        case .ended(.unanswered(let request)):
            try await vault.open(request, context: context).map { record in
                ShownRequest(
                    record: record, state: request.ending == .expired ? .expired : .cancelled, endedAt: request.endedAt)
            }
        }
    }
}

extension Optional where Wrapped: Sendable {
    fileprivate func mapped<Result>(_ body: (Wrapped) async throws -> Result?) async throws -> Result? {
        guard let self else { return nil }
        return try await body(self)
    }
}

extension PlacedRequest.Content {
    fileprivate var client: ClientID {
        switch self {
        case .stored(let request): request.client
        case .ended(.decided(let approval)): approval.client
        case .ended(.unanswered(let request)): request.client
        }
    }
}

/// A request as administrators see it.
package struct ShownRequest: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case pending, allowed, rejected
        /// Rejected by a person who did not ask for it.
        case reported
        /// Rejected because the person picked another number than the displayed one.
        case wrongNumber = "wrong_number"
        /// Allowed, and the client has its tokens. Known while the request is stored.
        case redeemed
        case expired
        /// Withdrawn by its client.
        case cancelled
        /// No channel reached anybody.
        case undelivered
        /// A newer login took its place.
        case superseded
    }

    package let record: RequestRecord
    package let state: State
    /// Nil once the request itself is deleted.
    package private(set) var channel: Client.NotificationChannel?
    /// Nil for one that is pending, and for an end whose time nothing tells.
    package let endedAt: Timestamp?
    /// Nil without a decision, and for a decision of a login.
    package fileprivate(set) var evidence: ApprovalEvidence?

    fileprivate init(record: RequestRecord, state: State, endedAt: Timestamp?) {
        self.record = record
        self.state = state
        self.endedAt = endedAt
    }

    fileprivate init(_ evidence: ApprovalEvidence) {
        let state: State =
            switch evidence.outcome {
            case .allowed: .allowed
            case .reported: .reported
            case .wrongNumber: .wrongNumber
            case .rejected, .expired, .withdrawn: .rejected
            }
        self.init(record: evidence.record, state: state, endedAt: evidence.decidedAt)
        self.evidence = evidence
    }

    fileprivate init(_ request: BackchannelRequest, now: Timestamp) {
        let state: State =
            switch request.state {
            case .pending: request.isExpired(at: now) ? .expired : .pending
            case .approved: .allowed
            case .denied:
                switch (request.outcome?.cause, request.outcome?.decider) {
                case (.reported, _): .reported
                case (.wrongNumber, _): .wrongNumber
                case (nil, nil): .cancelled
                case (nil, _): .rejected
                }
            case .redeemed: .redeemed
            case .expired: .expired
            case .undelivered: .undelivered
            case .superseded: .superseded
            }
        self.init(
            record: request.record, state: state,
            endedAt: state == .expired ? request.expiresAt : request.outcome?.decidedAt)
        channel = request.channel
    }
}
