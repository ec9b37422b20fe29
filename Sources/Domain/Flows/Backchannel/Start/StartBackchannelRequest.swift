import ApprovalWire
import Audit
import AuthorizationCore
import GuardianWire
package import OAuthWire
import Primitives

/// Backchannel authentication (CIBA Core 7): checks that the client may request this of the user, stores the request,
/// and has the user's devices notified.
package struct StartBackchannelRequest: Sendable {
    let store: any BackchannelStartStore
    let vault: RequestVault
    let random: any RandomSource
    /// True if the server has a mail server for tenants without one of their own.
    let sendsMail: Bool
    let cache: PendingRequestCache
    let repeatable: RepeatableStarts
    let secrets: GuardianTransactionTokens
    let refusals: RefusalLog

    /// Starts the request of an authenticated client, and records a refusal in the audit log. Throws `OAuthError` for
    /// the client's faults, other errors for the server's. `keys` are the values of the header `Idempotency-Key`.
    package func start(
        _ call: Authenticated<Parameters>, keys: [String] = []
    ) async throws -> BackchannelAuthenticationResponse {
        do {
            let repeatable = try repeatable.start(call, under: keys)
            if let repeatable, let answer = try await answer(to: repeatable, call) { return answer }
            let settings = call.tenant.settings
            let request = try BackchannelAuthenticationRequest(
                parsing: call.message, alphabet: settings.bindingMessageAlphabet,
                limits: settings.authorizationDetailsLimits)
            return try await start(call.with(request), repeatable)
        } catch let error as OAuthError {
            try await refusals.start(call, error)
            throw error
        }
    }

    /// The answer to a repetition, whatever became of the user since. Nil for a new start.
    private func answer(
        to start: RepeatableStart, _ call: Authenticated<Parameters>
    ) async throws -> BackchannelAuthenticationResponse? {
        try Self.checkClient(call)
        guard
            let earlier = try await store.earlierStart(
                start.key.hash, tenant: call.tenant.id, now: call.context.now)
        else { return nil }
        return try await answer(to: start, earlier, call.context)
    }

    private func answer(
        to start: RepeatableStart, _ earlier: EarlierStart, _ context: RequestContext
    ) async throws -> BackchannelAuthenticationResponse {
        let authReqID = try start.authReqID(of: earlier)
        guard let request = try await vault.open(earlier.request, for: .repetition, context: context) else {
            throw OAuthError(
                .invalidRequest, "The request of this Idempotency-Key was changed after it was made; use a new key",
                detail: "the row does not match its seal")
        }
        return answer(authReqID, request, at: context.tenant)
    }

    private func answer(
        _ authReqID: String, _ request: BackchannelRequest, at tenant: Tenant
    ) -> BackchannelAuthenticationResponse {
        let life = request.expiresAt - request.createdAt
        return BackchannelAuthenticationResponse(
            authReqID: authReqID, expiresIn: Int(life.components.seconds), interval: request.interval,
            matchingCode: secrets.matchingCode(of: request)?.description,
            approvalURI: HostedPath.approval(of: request.consentID.rawValue, below: tenant.issuer))
    }

    private func start(
        _ call: Authenticated<BackchannelAuthenticationRequest>, _ repeatable: RepeatableStart?
    ) async throws -> BackchannelAuthenticationResponse {
        let now = call.context.now
        try Self.checkClient(call)
        let message = call.message
        let user = try UserReference(message.loginHint, at: call.tenant)
        let access = try RequestedAccess(
            audience: message.audience, scope: message.scope, details: message.authorizationDetails,
            client: call.client, configuration: call.configuration, checksSchemas: true)
        if let api = call.configuration.resourceServers[access.audience], api.requiresTransactionalMFA {
            throw OAuthError(
                .invalidTarget,
                "The consent policy of '\(api.identifier)' does not allow backchannel authentication")
        }
        let authReqID = repeatable?.authReqID(at: now) ?? Identifiers.authReqID(random, at: now)
        let hash = AuthReqIDHash(of: authReqID, vault.hashing)
        let settings = call.tenant.settings
        let demand = call.configuration.evidence(for: access.audience, message.authorizationDetails?.types ?? [])
        guard let approver = try await store.approver(user, at: call.tenant, meeting: demand), !approver.user.blocked
        else {
            throw OAuthError(
                .unknownUserID, "User ID is malformed or unknown", detail: "no such user, several, or a blocked one")
        }
        let generation = cache.generation(beside: hash)
        let request = try request(hash, call, access, for: approver, demand)
        var new = NewBackchannelRequest(
            request: try vault.seal(request, hash),
            devices: request.channel == .guardianPush ? approver.devices(for: demand) : [],
            event: call.context.event(
                .backchannelStarted, charge: .limited(by: .requestsOfUser), user: request.user,
                client: request.client, consent: hash.consentID,
                details: [
                    "audience": .string(request.audience), "scope": .string(request.scope.description),
                    "notification_channel": .string(request.channel.rawValue),
                    "request_digest": .string(request.digest.description),
                ]))
        if let person = call.trying { new.event.actor = .person(person) }
        new.key = repeatable?.key
        let outcome = try await store.start(new, limits: StartLimits(settings, now: now))
        if let repeatable, case .repeated(let earlier) = outcome {
            return try await answer(to: repeatable, earlier, call.context)
        }
        try outcome.check(settings, now: now)
        cache.started(hash, by: call.registered.identity, request, madeAt: generation)
        return answer(authReqID, request, at: call.tenant)
    }

    /// Pages take every number. Phones that cannot take one get it in the message, so that a demand stands without them.
    private static func matching(
        _ demand: NumberMatching?, of approver: Approver, by channel: Client.NotificationChannel
    ) -> NumberMatching? {
        channel == .guardianPush ? approver.matching(for: demand) ?? demand : demand
    }

    private static func checkClient(_ call: Authenticated<some Sendable>) throws(OAuthError) {
        try call.requireGrant(.ciba)
        // CIBA Core 4: the client authenticates.
        try call.requireConfidential(for: .ciba)
        guard call.client.isFirstParty else {
            throw OAuthError(.unauthorizedClient, "Only first-party clients may start backchannel authentication")
        }
    }

    private func request(
        _ hash: AuthReqIDHash, _ call: Authenticated<BackchannelAuthenticationRequest>, _ access: RequestedAccess,
        for approver: Approver, _ demand: EvidenceDemand?
    ) throws(OAuthError) -> BackchannelRequest {
        let message = call.message
        let channel = try ChannelSelection(
            registered: call.registered, configuration: call.configuration, sendsMail: sendsMail,
            approver: approver, demand: demand
        ).channel(forExpiry: message.requestedExpiry)
        let now = call.context.now
        let record = try RequestRecord(
            hash.consentID, of: call.client.id, to: approver.user, for: access.audience,
            scope: access.scope(for: approver.user, client: call.client, configuration: call.configuration),
            message: message.bindingMessage.text, details: message.authorizationDetails?.json,
            matching: Self.matching(
                call.configuration.matching(
                    of: call.client.id, for: access.audience, message.authorizationDetails?.types ?? []),
                of: approver, by: channel),
            configuration: call.configuration, createdAt: now, expiresAt: now + .seconds(message.requestedExpiry),
            random: random)
        var request = vault.request(record, channel: channel, interval: call.tenant.settings.pollInterval)
        request.wantsReceipt = message.wantsReceipt
        return request
    }
}
