package import Audit
package import AuthorizationCore
package import OAuthWire
package import Primitives

/// Backchannel authentication (CIBA Core 7): checks that the client may request this of the user, stores the request,
/// and has the user's devices notified.
package struct StartBackchannelRequest: Sendable {
    private let store: any BackchannelStartStore
    private let hashing: any Hashing
    private let random: any RandomSource
    private let channels: Set<Client.NotificationChannel>
    private let outbox: any DeliverySignal
    private let cache: PendingRequestCache
    private let refusals: RefusalLog

    /// `channels` are those that this server delivers through.
    package init(
        store: any BackchannelStartStore, hashing: any Hashing, random: any RandomSource,
        channels: Set<Client.NotificationChannel> = [.guardianPush], outbox: any DeliverySignal,
        cache: PendingRequestCache,
        refusals: RefusalLog
    ) {
        self.store = store
        self.hashing = hashing
        self.random = random
        self.channels = channels
        self.outbox = outbox
        self.cache = cache
        self.refusals = refusals
    }

    /// Starts the request of an authenticated client, and records a refusal in the audit log. Throws `OAuthError` for
    /// the client's faults, other errors for the server's.
    package func start(_ asked: Authenticated<Parameters>) async throws -> BackchannelAuthenticationResponse {
        do {
            let settings = asked.tenant.settings
            let request = try asked.map { parameters throws(OAuthError) in
                try BackchannelAuthenticationRequest(
                    parsing: parameters, alphabet: settings.bindingMessageAlphabet,
                    limits: settings.authorizationDetailsLimits)
            }
            return try await start(request)
        } catch let error as OAuthError {
            try await refusals.start(asked, error)
            throw error
        }
    }

    private func start(
        _ asked: Authenticated<BackchannelAuthenticationRequest>
    ) async throws -> BackchannelAuthenticationResponse {
        let now = asked.context.now
        try Self.checkClient(asked)
        let message = asked.message
        let user = try UserReference(message.loginHint, at: asked.tenant)
        let access = try RequestedAccess(
            audience: message.audience, scope: message.scope, details: message.authorizationDetails,
            client: asked.client, configuration: asked.configuration, checksSchemas: true)
        if let api = asked.configuration.resourceServers[access.audience], api.requiresTransactionalMFA {
            throw OAuthError(
                .invalidTarget,
                "The consent policy of '\(api.identifier)' does not allow backchannel authentication")
        }
        let authReqID = Identifiers.authReqID(random, at: now)
        let hash = AuthReqIDHash(of: authReqID, hashing)
        let settings = asked.tenant.settings
        guard let approver = try await store.approver(user, tenant: asked.tenant.id), !approver.user.blocked else {
            throw OAuthError(
                .unknownUserID, "User ID is malformed or unknown", detail: "no such user, several, or a blocked one")
        }
        let generation = cache.generation(beside: hash)
        let event = asked.context.event(.backchannelStarted, client: asked.client.id, consent: hash.consentID)
        let new = try request(hash, asked, access, for: approver, event)
        let outcome = try await store.start(new, limits: StartLimits(settings, now: now))
        try outcome.check(settings, now: now)
        cache.started(hash, by: asked.registered.identity, new.request, madeAt: generation)
        outbox.entriesAdded()
        return BackchannelAuthenticationResponse(
            authReqID: authReqID, expiresIn: message.requestedExpiry, interval: new.request.interval)
    }

    private static func checkClient(_ asked: Authenticated<BackchannelAuthenticationRequest>) throws(OAuthError) {
        try asked.requireGrant(.ciba)
        // CIBA Core 4: the client authenticates.
        try asked.requireConfidential(for: .ciba)
        guard asked.client.isFirstParty else {
            throw OAuthError(.unauthorizedClient, "Only first-party clients may start backchannel authentication")
        }
    }

    private func request(
        _ hash: AuthReqIDHash, _ asked: Authenticated<BackchannelAuthenticationRequest>, _ access: RequestedAccess,
        for approver: Approver, _ event: AuditEvent
    ) throws(OAuthError) -> NewBackchannelRequest {
        let message = asked.message
        let channel = try ChannelSelection(
            registered: asked.registered, configuration: asked.configuration, deliverable: channels,
            approver: approver
        ).channel(forExpiry: message.requestedExpiry)
        let request = BackchannelRequest(
            consentID: hash.consentID, tenant: asked.tenant.id, client: asked.client.id, user: approver.user.id,
            scope: access.scope(for: approver.user, client: asked.client, configuration: asked.configuration),
            audience: access.audience, bindingMessage: message.bindingMessage.text,
            authorizationDetails: message.authorizationDetails?.json, channel: channel, createdAt: event.at,
            expiresAt: event.at + .seconds(message.requestedExpiry), interval: asked.tenant.settings.pollInterval)
        var event = event
        event.user = request.user
        event.details = [
            "audience": .string(request.audience), "scope": .string(request.scope.description),
            "notification_channel": .string(request.channel.rawValue),
        ]
        return NewBackchannelRequest(
            hash: hash, request: request, devices: channel == .guardianPush ? approver.devices : [], event: event)
    }
}
