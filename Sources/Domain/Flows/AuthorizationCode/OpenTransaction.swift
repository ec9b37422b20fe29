public import AuthorizationCore
public import OAuthWire
import Primitives

/// A log-in transaction as its pages see it. Only the browser that it began in gets one.
public struct OpenTransaction: Sendable {
    /// What stands in the pages' addresses: `/u/login?state=`.
    public let id: String
    public let directory: TenantDirectory
    public let request: AuthorizationRequest
    public let choices: LogInChoices
    /// The page to show.
    public internal(set) var step = AuthorizationStep.logIn
    /// Who is logging in, once that is known.
    public internal(set) var user: User?
    /// What the client would get, as the consent page says it.
    public internal(set) var access: RequestedAccess

    public var client: Client { target.client }
    public var tenant: Tenant { directory.tenant }
    /// Where the answer goes in the end.
    public var redirectURI: String { target.redirectURI }
    /// The number that the page shows beside the request on the phone; nil where none was sent.
    public var pushNumber: Int? { progress.push?.number }

    let target: AuthorizationTarget
    let browser: Browser
    var stored: AuthorizationTransaction
    var progress: AuthorizationProgress
    /// The browser's session.
    var session: Session?
    var granted: ScopeSet?
}

/// What follows from what a person did.
public struct AuthorizationAnswer: Sendable {
    public enum Next: Sendable {
        /// Show the page of `step`.
        case interact(OpenTransaction)
        /// Back to the client.
        case respond(AuthorizationResponse)
        /// The log-in ended here: say why, with a link that takes the answer to the client.
        case ended(LocalizedText, AuthorizationResponse)
    }

    public let next: Next
    /// Set as the session's cookie; nil leaves the browser's alone.
    public let sessionCookie: String?
    /// Set as the binding cookie; nil leaves the browser's alone.
    public internal(set) var bindingCookie: String?

    init(_ next: Next, sessionCookie: String? = nil, bindingCookie: String? = nil) {
        self.next = next
        self.sessionCookie = sessionCookie
        self.bindingCookie = bindingCookie
    }
}
