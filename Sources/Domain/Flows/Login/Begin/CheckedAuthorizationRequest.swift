package import AuthorizationCore
import OAuthWire
import Primitives

/// An authorization request that the client may send: the same rules for one in a URL, a pushed one, and one read back
/// from a transaction.
struct CheckedAuthorizationRequest {
    let request: AuthorizationRequest
    let choices: LoginChoices
    /// Before anyone is known.
    let access: RequestedAccess

    enum Origin {
        case byBrowser, pushed
        /// With the login that it began, so it was checked when it came.
        case stored
    }

    /// Throws what is answered to the client.
    init(
        _ parameters: Parameters, from client: Client, configuration: TenantConfiguration, came origin: Origin
    ) throws(OAuthError) {
        let isPushed = origin != .byBrowser
        guard isPushed || !client.requiresPushedAuthorizationRequests else {
            throw OAuthError(.invalidRequest, "This client must push its requests to /oauth/par")
        }
        guard isPushed || parameters["authorization_details"] == nil else {
            throw OAuthError(
                .invalidRequest, "authorization_details are accepted in requests pushed to /oauth/par only")
        }
        request = try AuthorizationRequest(
            parsing: parameters, limits: configuration.tenant.settings.authorizationDetailsLimits)
        guard request.codeChallenge != nil || !client.needsProofKey(in: configuration.tenant) else {
            throw OAuthError(.invalidRequest, "code_challenge is required: this client must use PKCE (RFC 7636)")
        }
        choices = LoginChoices(request, client: client, configuration: configuration)
        if let name = request.connection, !choices.isPossible {
            throw OAuthError(.invalidRequest, "There is no connection \(name) for this client")
        }
        guard request.maxAge == nil || choices.mayTellTime else {
            throw OAuthError(
                .unmetAuthenticationRequirements,
                "max_age cannot be met: no connection that is open here says when somebody authenticated")
        }
        access = try RequestedAccess(
            audience: request.audience, scope: request.scope, details: request.authorizationDetails, client: client,
            configuration: configuration, user: nil, checksSchemas: origin != .stored)
    }
}

/// The ways to log in that a request leaves open: the connection it names, or all that its client may use.
package struct LoginChoices: Sendable, Equatable {
    /// Where users with a password are; nil where no password is asked for.
    package let database: LoginConnection?
    package let upstreams: [LoginConnection]

    init(_ request: AuthorizationRequest, client: Client, configuration: TenantConfiguration) {
        let open = configuration.connections.filter { connection in
            connection.isEnabled(for: client.id) && (request.connection ?? connection.name) == connection.name
        }
        database = open.first(where: \.isDatabase)
        upstreams = open.filter { !$0.isDatabase }
    }

    package var allowsSignUp: Bool {
        if case .database(let allowsSignUp) = database?.kind { allowsSignUp } else { false }
    }

    func include(_ connection: String) -> Bool {
        database?.name == connection || upstreams.contains { $0.name == connection }
    }

    var isPossible: Bool { database != nil || !upstreams.isEmpty }

    /// Whether somebody could log in whose `auth_time` is known. True where nobody can at all: that is another problem.
    var mayTellTime: Bool {
        database != nil || upstreams.isEmpty || upstreams.contains { $0.upstream?.tellsTime == true }
    }
}
