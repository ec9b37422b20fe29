package import AuthorizationCore
import OAuthWire

/// An authorization request that the client may send, with the choices and the access that follow from it. The same
/// rules hold for a request in a URL, a pushed one, and one of a stored login.
struct CheckedAuthorizationRequest: Sendable {
    let request: AuthorizationRequest
    let choices: LoginChoices
    /// The access that it asks for, computed once: roles of the user only limit its scope.
    let access: RequestedAccess

    enum Origin {
        case byBrowser, pushed
        /// Read back with the login that it began. Its details were checked against schemas when it came.
        case stored
    }

    /// The request of a login for a page of this server: any connection will do, and nothing is asked for.
    init(forPageOf configuration: TenantConfiguration, uiLocales: String?) {
        request = AuthorizationRequest(uiLocales: uiLocales)
        choices = LoginChoices(allOf: configuration)
        access = RequestedAccess(nothingOf: configuration.tenant)
    }

    /// Throws the client's answer.
    init(
        _ parameters: Parameters, from client: Client, configuration: TenantConfiguration, came origin: Origin
    ) throws(OAuthError) {
        let isPushed = origin != .byBrowser
        let endpoint = EndpointPath.pushedAuthorization.rawValue
        guard isPushed || !client.requiresPushedAuthorizationRequests else {
            throw OAuthError(.invalidRequest, "This client must push its requests to \(endpoint)")
        }
        guard isPushed || parameters["authorization_details"] == nil else {
            throw OAuthError(
                .invalidRequest, "authorization_details are accepted only in requests pushed to \(endpoint)")
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
                "max_age cannot be met: no connection of this client reports the time of authentication")
        }
        access = try RequestedAccess(
            audience: request.audience, scope: request.scope, details: request.authorizationDetails, client: client,
            configuration: configuration, checksSchemas: origin != .stored)
        try RequestedAccess.checkEvidence(access.audience, request.authorizationDetails, configuration)
    }
}

/// The ways to log in that a request leaves open: the connection it names, or all that its client may use.
package struct LoginChoices: Sendable, Equatable {
    /// Connection of users with a password. Nil means that no password is asked for.
    package let database: LoginConnection?
    package let upstreams: [LoginConnection]

    init(_ request: AuthorizationRequest, client: Client, configuration: TenantConfiguration) {
        let open = configuration.connections.filter { connection in
            connection.isEnabled(for: client.id) && (request.connection ?? connection.name) == connection.name
        }
        database = open.first(where: \.isDatabase)
        upstreams = open.filter { !$0.isDatabase }
    }

    /// Connections that some client may use. Nobody signs up with a password here, because a new account has no request.
    init(allOf configuration: TenantConfiguration) {
        let open = configuration.connections.filter { $0.enabledClients?.isEmpty != true }
        database = open.first(where: \.isDatabase).map { connection in
            var connection = connection
            connection.kind = .database(
                allowsSignUp: false, hasUsernames: connection.hasUsernames, oldServer: connection.oldServer)
            return connection
        }
        upstreams = open.filter { !$0.isDatabase }
    }

    package var allowsSignUp: Bool {
        if case .database(let allowsSignUp, _, _) = database?.kind { allowsSignUp } else { false }
    }

    func include(_ connection: String) -> Bool {
        database?.name == connection || upstreams.contains { $0.name == connection }
    }

    var isPossible: Bool { database != nil || !upstreams.isEmpty }

    /// True if somebody could log in whose `auth_time` is known. Also true if nobody can log in: that is another problem.
    var mayTellTime: Bool {
        database != nil || upstreams.isEmpty || upstreams.contains { $0.upstream?.reportsTime == true }
    }
}
