public import AuthorizationCore
public import OAuthWire
public import Primitives

/// The backchannel authentication endpoint's work (CIBA Core 7): decides whether the client may ask the user for
/// this, stores the request, and has the user's devices told.
public struct StartBackchannelRequest: Sendable {
    private let store: any BackchannelStartStore
    private let hashing: any Hashing
    private let random: any RandomSource
    private let channels: Set<Client.NotificationChannel>
    private let outbox: any OutboxSignal
    private let pace: PollPace
    private let refusals: RefusalLog

    /// `channels` are those that this server can deliver by.
    public init(
        store: any BackchannelStartStore, hashing: any Hashing, random: any RandomSource,
        channels: Set<Client.NotificationChannel> = [.guardianPush], outbox: any OutboxSignal, pace: PollPace,
        refusals: RefusalLog
    ) {
        self.store = store
        self.hashing = hashing
        self.random = random
        self.channels = channels
        self.outbox = outbox
        self.pace = pace
        self.refusals = refusals
    }

    /// Reads what a proven client asked and starts it; what is refused is noted in the audit log.
    /// Throws `OAuthError` for what the client did, anything else for what failed here.
    public func start(
        _ asked: Authenticated<Parameters>, now: Timestamp
    ) async throws -> BackchannelAuthenticationResponse {
        do {
            let settings = asked.tenant.settings
            let request = try asked.map { parameters throws(OAuthError) in
                try BackchannelAuthenticationRequest(
                    parsing: parameters, alphabet: settings.bindingMessageAlphabet,
                    limits: settings.authorizationDetailsLimits)
            }
            return try await start(request, now: now)
        } catch let error as OAuthError {
            try await refusals.start(asked, error, now: now)
            throw error
        }
    }

    private func start(
        _ asked: Authenticated<BackchannelAuthenticationRequest>, now: Timestamp
    ) async throws -> BackchannelAuthenticationResponse {
        try Self.checkClient(asked)
        let message = asked.message
        guard asked.tenant.isIssuer(message.loginHint.issuer) else {
            throw OAuthError(
                .invalidRequest,
                en: "iss within login_hint must be this tenant's issuer, \(asked.tenant.issuer)",
                fr: "iss dans login_hint doit être l'émetteur de ce tenant, \(asked.tenant.issuer)")
        }
        let approver = try await store.approver(UserID(message.loginHint.subject), tenant: asked.tenant.id)
        guard let approver, !approver.user.blocked else {
            throw OAuthError(
                .unknownUserID, en: "User ID is malformed or unknown",
                fr: "L'identifiant d'utilisateur est mal formé ou inconnu",
                detail: approver == nil ? "no such user" : "the user is blocked")
        }
        let access = try RequestedAccess(
            audience: message.audience, scope: message.scope, details: message.authorizationDetails,
            client: asked.client, directory: asked.directory, user: approver.user)
        if let api = asked.directory.resourceServers[access.audience], api.requiresTransactionalMFA {
            throw OAuthError(
                .invalidTarget,
                en: "The consent policy of \"\(api.identifier)\" does not allow backchannel authentication",
                fr:
                    "La politique de consentement de « \(api.identifier) » exclut l'authentification par canal secondaire"
            )
        }
        let channel = try ChannelSelection(
            registered: asked.registered, directory: asked.directory, deliverable: channels, approver: approver
        ).channel(forExpiry: message.requestedExpiry)

        let authReqID = Identifiers.authReqID(random, at: now)
        let hash = AuthReqIDHash(of: authReqID, hashing)
        let request = BackchannelRequest(
            consentID: hash.consentID, tenant: asked.tenant.id, client: asked.client.id,
            user: approver.user.id, scope: access.scope, audience: access.audience,
            bindingMessage: message.bindingMessage.text, authorizationDetails: message.authorizationDetails?.json,
            channel: channel, createdAt: now, expiresAt: now + .seconds(message.requestedExpiry),
            interval: asked.tenant.settings.pollInterval)
        // A request that goes by e-mail is not pushed as well.
        let devices = channel == .guardianPush ? approver.devices : []
        let miss = pace.beforeStart(of: hash)
        try await store(request, hash: hash, devices: devices, asked: asked, now: now)
        pace.started(hash, request, by: asked.registered.identity, after: miss)
        outbox.entriesAdded()
        return BackchannelAuthenticationResponse(
            authReqID: authReqID, expiresIn: message.requestedExpiry, interval: request.interval)
    }

    private static func checkClient(_ asked: Authenticated<BackchannelAuthenticationRequest>) throws(OAuthError) {
        try asked.requireGrant(.ciba)
        // CIBA Core 4: the client authenticates.
        try asked.requireConfidential(for: .ciba)
        guard asked.client.isFirstParty else {
            throw OAuthError(
                .unauthorizedClient, en: "Only first-party clients may start backchannel authentication",
                fr: "Seuls les clients internes peuvent lancer une authentification par canal secondaire")
        }
    }

    private func store(
        _ request: BackchannelRequest, hash: AuthReqIDHash, devices: [DeviceID],
        asked: Authenticated<BackchannelAuthenticationRequest>, now: Timestamp
    ) async throws {
        let settings = asked.tenant.settings
        let event = AuditEvent(
            .backchannelStarted, tenant: request.tenant, at: now, user: request.user, client: request.client,
            consent: request.consentID, remoteAddress: asked.remoteAddress,
            details: [
                "audience": .string(request.audience), "scope": .string(request.scope.description),
                "notification_channel": .string(request.channel.rawValue),
            ])
        let outcome = try await store.start(
            NewBackchannelRequest(
                hash: hash, request: request, devices: devices, event: event),
            limits: StartLimits(settings, now: now))
        try outcome.check(settings, now: now)
    }
}
