package import AuthorizationCore
package import Primitives

/// Entry of the audit log: the actor, the action, its object and its origin. Holds no secret.
package struct AuditEvent: Sendable, Equatable {
    /// Kind of event, with Auth0's code if it has one (tenant log event types).
    package enum Kind: String, Sendable, CaseIterable {
        case backchannelStarted = "ciba_start_succeeded"
        case backchannelStartFailed = "ciba_start_failed"
        case notificationSent = "gd_send_pn"
        case notificationFailed = "gd_send_pn_failure"
        case consentFetched = "rich_consents_access"
        case consentFetchFailed = "rich_consents_access_error"
        case approved = "gd_auth_succeed"
        case rejected = "gd_auth_rejected"
        /// A rejection by a person who did not ask for the request.
        case reported = "ciba_reported"
        /// A rejection because the person picked another number than the displayed one.
        case wrongNumber = "ciba_wrong_number"
        case expired = "ciba_expired"
        case cancelled = "ciba_cancelled"
        /// A newer login in the same browser took the place of a login's request.
        case superseded = "ciba_superseded"
        /// A request goes on in another channel, because the first one reached nobody.
        case rerouted = "ciba_rerouted"
        /// A request ended because no channel reached anybody.
        case undelivered = "ciba_undelivered"
        /// A stored request is refused, because its row was changed.
        case requestTampered = "ciba_request_tampered"
        case exchanged = "ciba_exchange_succeeded"
        case exchangeFailed = "ciba_exchange_failed"
        case enrolled = "gd_enrollment_complete"
        case unenrolled = "gd_unenroll"
        case deviceUpdated = "gd_update_device_account"
        /// A phone said that its key is gone. Nothing is sent to it any more.
        case deviceKeyLost = "device_key_lost"
        case enrollmentTicketCreated = "gd_start_enroll"
        case enrollmentFailed = "gd_start_enroll_failed"
        case passkeyRegistered = "passkey_registered"
        case passkeyRemoved = "passkey_removed"
        case passkeyRefused = "gd_webauthn_enrollment_failed"
        /// A change by the Management API or an equivalent command.
        case changed = "sapi"
        /// A refused change by an authenticated administrator.
        case changeRefused = "fapi"
        case configurationApplied = "configuration_applied"
        case keyRotated = "key_rotated"
        case keyRevoked = "key_revoked"
        /// A known client exceeded a limit.
        case rateLimited = "api_limit"
        case loggedIn = "s"
        case loginFailed = "f"
        case wrongPassword = "fp"
        case unknownUser = "fu"
        case accountBlocked = "limit_wc"
        /// An address failed at many accounts.
        case addressBlocked = "limit_mu"
        case signedUp = "ss"
        case signUpFailed = "fs"
        case loggedOut = "slo"
        case backchannelLogoutSent = "oidc_backchannel_logout_succeeded"
        case backchannelLogoutFailed = "oidc_backchannel_logout_failed"
        case passwordChangeRequested = "scpr"
        case passwordChangeRefused = "fcpr"
        case passwordChanged = "scp"
        case consentGiven = "consent_given"
        case consentDenied = "consent_denied"
        case codeExchanged = "seacft"
        /// Also a code presented twice.
        case codeRefused = "feacft"
        case refreshTokenExchanged = "sertft"
        case refreshTokenRefused = "fertft"
        case refreshTokenReused = "ferrt"
        case clientCredentialsExchanged = "seccft"
        /// Also for requests other than for tokens.
        case clientCredentialsRefused = "feccft"
        case pushedRequestRefused = "fpar"
        case tokenRevoked = "srrt"
        case codeIssued = "code_issued"
        case passwordTicketCreated = "password_ticket_created"
        case emailVerified = "sv"
        /// A mail to confirm an address was sent.
        case emailVerificationRequested = "svr"
        /// No mail was sent, because too many were before.
        case emailVerificationRefused = "fvr"
        /// A mail server refused the address for good.
        case emailBounced = "email_bounced"
        case multiFactorStarted = "gd_start_auth"
        case multiFactorSucceeded = "gd_auth_login_succeed"
        /// A code or a device's signed answer was refused.
        case multiFactorFailed = "gd_auth_failed"
        case recoveryCodesMade = "recovery_codes_made"
        case recoveryCodeUsed = "gd_recovery_succeed"
        case recoveryCodeRefused = "gd_recovery_failed"
        /// A person withdrew a client's access.
        case consentWithdrawn = "consent_withdrawn"
        /// A person changed their language or quiet hours.
        case accountChanged = "account_changed"
        case accountExported = "account_exported"
        /// A person deleted their own account.
        case accountDeleted = "sdu"
        case identityLinked = "identity_linked"
        case identityUnlinked = "identity_unlinked"
        case identityUpdated = "identity_updated"
        /// A person was moved here from the tenant's old server.
        case moved = "user_moved"
        /// The old server knew a person who cannot have the account here.
        case moveRefused = "user_move_refused"
        /// The old server could not say who a person is.
        case oldServerFailed = "old_server_failed"
    }

    /// Author of an administrative change.
    package enum Actor: Sendable, Equatable {
        /// A client of the Management API.
        case client(ClientID)
        /// An operating system account at the command line.
        case account(String)
        /// A person, on the pages of their own account.
        case person(UserID)
        /// The server itself.
        case system
    }

    /// Object of an administrative change.
    package struct Object: Sendable, Equatable {
        /// The name in `countersign apply`, such as `client` or `signing key`.
        package let kind: String
        package let id: String

        package init(_ kind: String, _ id: String) {
            self.kind = kind
            self.id = id
        }
    }

    package let kind: Kind
    package let charge: AuditCharge
    package let tenant: TenantID
    package let at: Timestamp
    package var user: UserID?
    package var client: ClientID?
    package var device: DeviceID?
    package var consent: ConsentID?
    /// The peer's address.
    package var remoteAddress: String?
    /// Nil for users', clients' and devices' own actions.
    package var actor: Actor?
    package var object: Object?
    /// The request that caused the event, if any.
    package var request: RequestTrace?
    /// Further facts for readers of the log.
    package var details: JSONObject

    package init(
        _ kind: Kind, charge: AuditCharge, tenant: TenantID, at: Timestamp, user: UserID? = nil,
        client: ClientID? = nil, device: DeviceID? = nil, consent: ConsentID? = nil, remoteAddress: String? = nil,
        details: JSONObject = [:]
    ) {
        assert(charge == .server || kind.bounds.contains(charge.bound), "\(charge.bound) is no bound of \(kind)")
        self.kind = kind
        self.charge = charge
        self.tenant = tenant
        self.at = at
        self.user = user
        self.client = client
        self.device = device
        self.consent = consent
        self.remoteAddress = remoteAddress
        self.details = details
    }

    /// A further event of the same action: the same charge, time, address, actor and request.
    package func beside(_ kind: Kind, user: UserID?, device: DeviceID? = nil, details: JSONObject = [:]) -> AuditEvent {
        var event = AuditEvent(
            kind, charge: charge, tenant: tenant, at: at, user: user, device: device, remoteAddress: remoteAddress,
            details: details)
        event.actor = actor
        event.request = request
        return event
    }

    /// An administrative change by `actor`. `charge` nil is that of the actor's request. `changed` names the changed fields, never their values.
    package init(
        _ kind: Kind, of object: Object, by actor: Actor, charge: AuditCharge? = nil, tenant: TenantID, at: Timestamp,
        changed: [String] = [], user: UserID? = nil, client: ClientID? = nil, remoteAddress: String? = nil,
        details: JSONObject = [:]
    ) {
        self.init(
            kind, charge: charge ?? .administration(by: actor), tenant: tenant, at: at, user: user, client: client,
            remoteAddress: remoteAddress, details: details)
        self.actor = actor
        self.object = object
        if !changed.isEmpty { self.details["changed"] = .array(changed.map { .string($0) }) }
    }
}

extension AuditEvent.Actor: RawRepresentable {
    private static let clientPrefix = "client:"
    private static let accountPrefix = "account:"
    private static let personPrefix = "person:"

    /// The stored form: `client:` and a client's id, `account:` and a name, `person:` and a user's id, or
    /// `system`.
    package var rawValue: String {
        switch self {
        case .client(let id): Self.clientPrefix + id.rawValue
        case .account(let name): Self.accountPrefix + name
        case .person(let user): Self.personPrefix + user.rawValue
        case .system: "system"
        }
    }

    package init?(rawValue: String) {
        if rawValue == "system" {
            self = .system
        } else if rawValue.hasPrefix(Self.clientPrefix) {
            self = .client(ClientID(String(rawValue.dropFirst(Self.clientPrefix.count))))
        } else if rawValue.hasPrefix(Self.accountPrefix) {
            self = .account(String(rawValue.dropFirst(Self.accountPrefix.count)))
        } else if rawValue.hasPrefix(Self.personPrefix) {
            self = .person(UserID(String(rawValue.dropFirst(Self.personPrefix.count))))
        } else {
            return nil
        }
    }
}
