package import AuthorizationCore
package import Localization
package import OAuthWire
import Primitives

/// A login transaction as its pages see it. Only the browser that it began in gets one.
package struct LoginTransaction: Sendable {
    /// What stands in the pages' addresses: `/u/login?state=`.
    package let id: String
    package let configuration: TenantConfiguration
    package let request: AuthorizationRequest
    package let choices: LoginChoices
    /// The page to show.
    package internal(set) var step = AuthorizationStep.logIn
    /// Who is logging in, once that is known.
    package internal(set) var user: User?
    /// What the client would get, as the consent page says it.
    package internal(set) var access: RequestedAccess

    package var client: Client { target.client }
    package var tenant: Tenant { configuration.tenant }
    /// Where the answer goes in the end.
    package var redirectURI: String { target.redirectURI }
    /// The number that the page shows beside the request on the phone; nil where none was sent.
    package var pushNumber: Int? { progress.belongings?.push?.number }
    /// True if the API wants a second factor for each transaction, and not one for each login.
    var isConfirmedEachTime: Bool {
        configuration.resourceServers[access.audience]?.requiresTransactionalMFA ?? false
    }

    let target: AuthorizationTarget
    let browser: Browser
    var stored: StoredLogin
    var progress: AuthorizationProgress
    /// The browser's session.
    var session: Session?
    var granted: ScopeSet?
    /// The user who is logging in, as what they leave in the transaction says it. Nil if nobody is known.
    var owner: AuthorizationProgress.Owner?
    /// The proof that the browser sent of `progress.authentication`, if it was right.
    var sentProof: [UInt8]?
    /// True once somebody proved themselves in this request: then the browser gets a new proof.
    var isProvenNow = false

    /// Keeps that the user proved themselves here and now.
    mutating func prove(_ authentication: Authentication) {
        progress.authentication = authentication
        progress.session = nil
        isProvenNow = true
    }
}

/// What follows from what a person did.
package struct AuthorizationAnswer: Sendable {
    package enum Next: Sendable {
        /// Show the page of `step`.
        case interact(LoginTransaction)
        /// Back to the client.
        case respond(AuthorizationResponse)
        /// The login ended here: say why, with a link that takes the answer to the client.
        case ended(LocalizedText, AuthorizationResponse)
    }

    package let next: Next
    /// Set as the session's cookie; nil leaves the browser's alone.
    package let sessionCookie: String?
    /// Set as the cookie that proves whom this transaction was gone on with; nil leaves the browser's alone.
    package let proofCookie: String?
    /// Set as the binding cookie; nil leaves the browser's alone.
    package internal(set) var bindingCookie: String?

    /// The browser that the answer may be repeated to.
    let receiver: Receiver

    init(
        _ next: Next, sessionCookie: String? = nil, proofCookie: String? = nil, bindingCookie: String? = nil,
        receiver: Receiver = Receiver()
    ) {
        self.next = next
        self.sessionCookie = sessionCookie
        self.proofCookie = proofCookie
        self.bindingCookie = bindingCookie
        self.receiver = receiver
    }
}
