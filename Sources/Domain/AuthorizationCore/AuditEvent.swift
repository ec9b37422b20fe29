public import Primitives

/// One line of the audit log: who did what, to what, from where. Holds no secret.
public struct AuditEvent: Sendable, Equatable {
    /// What happened, in Auth0's codes where there is one (tenant log event types).
    public enum Kind: String, Sendable, CaseIterable {
        case backchannelStarted = "ciba_start_succeeded"
        case notificationSent = "gd_send_pn"
        case notificationFailed = "gd_send_pn_failure"
        case consentFetched = "rich_consents_access"
        case approved = "gd_auth_succeed"
        case rejected = "gd_auth_rejected"
        case expired = "ciba_expired"
        case exchanged = "ciba_exchange_succeeded"
        case enrolled = "gd_enrollment_complete"
        case unenrolled = "gd_unenroll"
        case deviceUpdated = "gd_update_device_account"
        case enrollmentTicketCreated = "gd_start_enroll"
        case configurationApplied = "configuration_applied"
        case administered = "sapi"
        case keyRotated = "key_rotated"
        case keyRevoked = "key_revoked"
        case loggedIn = "s"
        case logInFailed = "f"
        case wrongPassword = "fp"
        case unknownUser = "fu"
        case accountBlocked = "limit_wc"
        case signedUp = "ss"
        case signUpFailed = "fs"
        case loggedOut = "slo"
        case backchannelLogoutSent = "oidc_backchannel_logout_succeeded"
        case backchannelLogoutFailed = "oidc_backchannel_logout_failed"
        case passwordChangeRequested = "scpr"
        case passwordChanged = "scp"
        case consentGiven = "consent_given"
        case consentDenied = "consent_denied"
        case consentRevoked = "consent_revoked"
        case codeExchanged = "seacft"
        case codeReplayed = "feacft"
        case refreshTokenExchanged = "sertft"
        case refreshTokenReused = "ferrt"
        case clientCredentialsExchanged = "seccft"
        case tokenRevoked = "srrt"
        case codeIssued = "code_issued"
        case passwordTicketCreated = "password_ticket_created"
        case multiFactorStarted = "gd_start_auth"
        case multiFactorSucceeded = "gd_auth_login_succeed"
        case multiFactorFailed = "gd_auth_failed"
        case identityLinked = "identity_linked"
        case identityUpdated = "identity_updated"
    }

    public let kind: Kind
    public let tenant: TenantID
    public let at: Timestamp
    public var user: UserID?
    public var client: ClientID?
    public var device: DeviceID?
    public var consent: ConsentID?
    /// The peer's address.
    public var remoteAddress: String?
    /// Further facts for a person who reads the log.
    public var details: JSONObject

    public init(
        _ kind: Kind, tenant: TenantID, at: Timestamp, user: UserID? = nil, client: ClientID? = nil,
        device: DeviceID? = nil, consent: ConsentID? = nil, remoteAddress: String? = nil, details: JSONObject = [:]
    ) {
        self.kind = kind
        self.tenant = tenant
        self.at = at
        self.user = user
        self.client = client
        self.device = device
        self.consent = consent
        self.remoteAddress = remoteAddress
        self.details = details
    }
}
