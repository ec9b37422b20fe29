import Audit
package import AuthorizationCore
package import GuardianWire
package import Localization
package import OAuthWire
import Primitives

/// A login as one request of its browser finds it. No other browser gets one.
package struct LoginTransaction: Sendable {
    /// Identifier in the pages' addresses: `/u/login?state=`.
    package let id: String
    /// Facts of the request that opened it.
    package internal(set) var context: RequestContext
    package internal(set) var step = AuthorizationStep.logIn
    /// The user who is logging in. Nil if nobody is known.
    package internal(set) var user: User?
    /// The access that the client would get. Roles limit it once the user is known.
    package internal(set) var access: RequestedAccess

    package var request: AuthorizationRequest { checked.request }
    package var choices: LoginChoices { checked.choices }
    package var configuration: TenantConfiguration { context.configuration }
    package var tenant: Tenant { context.tenant }
    /// Nil for a login that no client asked for.
    package var clientID: ClientID? { goal.client?.id }
    /// Name of the client, or of the tenant for a page of this server.
    package var goalName: String { goal.client?.name ?? tenant.name }
    /// Address that gets the answer.
    package var redirectURI: String { goal.address }
    /// Number on the page. Nil if no request was sent to the phone.
    package var pushNumber: MatchingNumber? { progress.belongings?.push?.number }
    /// The way in which the person gives that number on the phone. Nil means that the phone shows it.
    package var pushMatching: NumberMatching? { progress.belongings?.push?.matching }
    /// True if the API wants a second factor for each transaction, and not one for each login.
    var isConfirmedEachTime: Bool { configuration.resourceServers[access.audience]?.requiresTransactionalMFA ?? false }
    /// True if the login leads to an administrator's rights: scopes of the Management API, whichever API has them, or a
    /// client that may use the Management API.
    var isOfAdministrator: Bool {
        goal.client?.grants.contains { $0.audience == tenant.managementAudience } == true
            || ResourceServer.managementScopes.contains(where: access.scope.contains)
    }
    /// Proof of the user who is logging in. Nil if nobody is known.
    var authentication: Authentication? {
        progress.authentication(request, choices: choices, session: session, now: context.now)
    }

    let checked: CheckedAuthorizationRequest
    let goal: LoginGoal
    let browser: Browser
    var stored: StoredLogin
    var progress: AuthorizationProgress
    /// The browser's session.
    var session: Session?
    var granted: ScopeSet?
    /// The user who is logging in, as owner of values in the transaction. Nil if nobody is known.
    var owner: AuthorizationProgress.Owner?
    /// The proof that the browser sent of `progress.authentication`, if it was right.
    var sentProof: [UInt8]?
    /// True once somebody proved themselves in this request. Then the browser gets a new proof.
    var isProvenNow = false
    /// Charge of this request's entries. Nil until `CompleteAuthorization` drew on the user's budget.
    var charge: AuditCharge?

    init(
        id: String, context: RequestContext, checked: CheckedAuthorizationRequest, goal: LoginGoal,
        browser: Browser, stored: StoredLogin, progress: AuthorizationProgress, sentProof: [UInt8]? = nil
    ) {
        self.id = id
        self.context = context
        self.checked = checked
        access = checked.access
        self.goal = goal
        self.browser = browser
        self.stored = stored
        self.progress = progress
        self.sentProof = sentProof
    }

    /// Keeps that the user proved themselves in this request.
    mutating func prove(_ authentication: Authentication) {
        progress.authentication = authentication
        progress.session = nil
        isProvenNow = true
    }

    /// Makes an audit entry about `user`, or else about the user who is logging in.
    func event(
        _ kind: AuditEvent.Kind, charge: AuditCharge, user: UserID? = nil, device: DeviceID? = nil,
        details: JSONObject = [:]
    ) -> AuditEvent {
        context.event(
            kind, charge: charge, user: user ?? self.user?.id, client: clientID, device: device, details: details)
    }

    /// The same for a refusal.
    func refusal(_ kind: AuditEvent.Kind, user: UserID? = nil, details: JSONObject = [:]) -> AuditRefusal {
        context.refusal(kind, user: user ?? self.user?.id, client: clientID, details: details)
    }
}

/// Consequence of a person's action.
package struct AuthorizationAnswer: Sendable {
    package enum Next: Sendable {
        /// Show the page of `step`.
        case interact(LoginTransaction)
        /// Return to the client.
        case respond(AuthorizationResponse)
        /// The login ended: show the reason, with a link that takes the answer to the client.
        case ended(LocalizedText, AuthorizationResponse)
    }

    package let next: Next
    /// New value of the session's cookie. Nil leaves the browser's as it is.
    package var sessionCookie: String?
    /// New value of the cookie that proves the user of this transaction. Nil leaves the browser's as it is.
    package var proofCookie: String?
    /// New value of the binding cookie. Nil leaves the browser's as it is.
    package var bindingCookie: String?

    /// The browser that the answer may be repeated to.
    var receiver = Receiver()
}
