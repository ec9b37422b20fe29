import Audit
import AuthorizationCore
import Flows
import HTTPModel
import OAuthWire
import Primitives
import Routing

/// Endpoints that clients call with their own credentials: backchannel authentication, tokens, pushed authorization,
/// revocation and introspection.
struct OAuthEndpoints: Sendable {
    let flows: UseCases

    var routes: [Route] {
        let ofClient = ScriptAccess.registered(client: Self.client)
        return [
            Route(
                EndpointPath.backchannelAuthentication, .oauth, work: .new,
                [.post: (.backchannelAuthentication, backchannelAuthentication)]),
            Route(EndpointPath.token, .oauth, scripts: ofClient, [.post: (.token, token)]),
            Route(
                EndpointPath.pushedAuthorization, .oauth, work: .new,
                [.post: (.pushedAuthorization, pushedAuthorization)]),
            Route(EndpointPath.revocation, .oauth, scripts: ofClient, [.post: (.revocation, revocation)]),
            Route(EndpointPath.introspection, .oauth, [.post: (.introspection, introspection)]),
        ]
    }

    @Sendable func backchannelAuthentication(_ call: EndpointCall) async throws -> Response {
        try await answering(call, refusals: Refusals(unproven: .backchannelStartFailed)) { authenticated in
            let keys = call.request.fields.values(of: IdempotencyKey.header)
            return .json(try await flows.backchannel.start.start(authenticated, keys: keys).bytes)
        }
    }

    @Sendable func token(_ call: EndpointCall) async throws -> Response {
        try await answering(call, refusals: nil) { authenticated in
            let request = try TokenRequest(parsing: authenticated.message)
            try authenticated.requireGrant(request.grantType)
            switch request {
            case .backchannel(let authReqID):
                return try await backchannelTokens(authenticated.with(authReqID), call)
            case .authorizationCode(let grant):
                return .tokens(try await flows.tokens.code.redeem(authenticated.with(grant)))
            case .refreshToken(let grant):
                return .tokens(try await flows.tokens.refresh.exchange(authenticated.with(grant)))
            case .clientCredentials(let grant):
                return .tokens(try await flows.tokens.ofClient.issue(authenticated.with(grant)))
            }
        }
    }

    private func backchannelTokens(_ authenticated: Authenticated<String>, _ call: EndpointCall) async throws
        -> Response
    {
        let wait = wait(call.request, call.tenant)
        do {
            var response = Response.tokens(
                try await flows.backchannel.redeem.redeem(
                    authenticated, hold: wait.map { .seconds($0) }, for: call.request.client))
            if let wait { response.fields.append("Preference-Applied", "wait=\(wait)") }
            return response
        } catch var error as OAuthError {
            // A poll that comes too early is not held.
            if error.code != .slowDown { error.appliedWait = wait }
            throw error
        }
    }

    /// RFC 9126 clause 2.2.
    @Sendable func pushedAuthorization(_ call: EndpointCall) async throws -> Response {
        try await answering(call, refusals: Refusals(.pushedRequestRefused)) { authenticated in
            let pushed = try await flows.login.push.push(authenticated, context: call.context)
            let body = JSONWriter.object { body in
                body.member("request_uri", pushed.requestURI)
                body.member("expires_in", pushed.expiresIn)
            }
            return .json(body, status: 201)
        }
    }

    /// RFC 7009. The answer is the same for every token, and has no body.
    @Sendable func revocation(_ call: EndpointCall) async throws -> Response {
        try await answering(call, refusals: Refusals(unproven: .clientCredentialsRefused)) { authenticated in
            if try await !flows.backchannel.cancel.cancel(authenticated) {
                try await flows.tokens.revoke.revoke(authenticated)
            }
            return Response(status: 200, fields: ["Cache-Control": "no-store"])
        }
    }

    /// RFC 7662.
    @Sendable func introspection(_ call: EndpointCall) async throws -> Response {
        try await answering(call, refusals: Refusals(unproven: .clientCredentialsRefused)) { authenticated in
            .json(JSONWriter.bytes(.object(try await flows.tokens.introspect.introspect(authenticated))))
        }
    }

    private static let backchannel = GrantType.ciba.rawValue

    /// Answers a poll of a request that this node knows to be pending. Nil leaves the request to `token`.
    func answerSynchronously(
        _ request: Request, _ context: RequestContext
    ) -> RedeemBackchannelRequest.SynchronousAnswer? {
        guard request.query == nil, wait(request, context.tenant) == nil,
            let parameters = try? Parameters(body: request.body, mediaType: request.fields.mediaType),
            // Checked before the client is authenticated, which other grants would do twice.
            parameters["grant_type"] == Self.backchannel,
            let presented = try? presented(parameters, request, context),
            let authenticated = try? flows.tokens.authenticator.authenticateSynchronously(presented),
            authenticated.mayUse(.ciba), authenticated.canBindTokens,
            let authReqID = try? TokenRequest.authReqID(parameters)
        else { return nil }
        return flows.backchannel.redeem.answerSynchronously(authReqID, by: authenticated)
    }

    /// Seconds to hold a poll: the client's `Prefer: wait` (RFC 7240 clause 4.3), within the tenant's maximum. Nil
    /// answers immediately. The first wait counts, also if it is malformed (clause 2).
    private func wait(_ request: Request, _ tenant: Tenant) -> Int? {
        guard request.fields["Prefer"] != nil else { return nil }
        let maximum = tenant.settings.longPollMaximum
        guard maximum > 0 else { return nil }
        for header in request.fields.values(of: "Prefer") {
            for preference in header.split(separator: ",") {
                let text = preference.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
                guard text == "wait" || text.hasPrefix("wait=") || text.hasPrefix("wait;") else { continue }
                let digits = text.dropFirst(5).prefix { $0 != ";" }
                guard text.hasPrefix("wait="), !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) else {
                    return nil
                }
                // A number beyond `Int` is beyond the maximum.
                let seconds = min(Int(digits) ?? maximum, maximum)
                return seconds > 0 ? seconds : nil
            }
        }
        return nil
    }

    /// Kinds of the audit entries of refusals.
    struct Refusals {
        /// Kind for a client that was not authenticated.
        let unproven: AuditEvent.Kind
        /// Kind for an authenticated client. Nil means that the flow records refusals itself or records none.
        let proven: AuditEvent.Kind?

        init(unproven: AuditEvent.Kind) {
            self.unproven = unproven
            proven = nil
        }

        init(_ kind: AuditEvent.Kind) {
            unproven = kind
            proven = kind
        }

        /// Kinds for a grant at the token endpoint.
        init(of grant: GrantType?) {
            switch grant {
            case .ciba: self.init(unproven: .exchangeFailed)
            case .authorizationCode: self.init(.codeRefused)
            case .refreshToken: self.init(.refreshTokenRefused)
            case .clientCredentials: self.init(.clientCredentialsRefused)
            case nil: self.init(unproven: .clientCredentialsRefused)
            }
        }
    }

    /// Reads the parameters, authenticates the client and records refusals. If `refusals` is nil, the grant decides.
    func answering(
        _ call: EndpointCall, refusals: Refusals?, _ body: (Authenticated<Parameters>) async throws -> Response
    ) async throws -> Response {
        let request = call.request
        guard request.query == nil else {
            throw OAuthError(
                .invalidRequest, "Send the parameters in the body, not in the URL, where they would be logged")
        }
        // A request without a body has its credentials in the header.
        let parameters =
            request.method == .get
            ? try Parameters(form: []) : try Parameters(body: request.body, mediaType: request.fields.mediaType)
        let refusals = refusals ?? Refusals(of: parameters["grant_type"].flatMap { GrantType(rawValue: $0) })
        let authenticated = try await proven(try presented(parameters, request, call.context), refusals.unproven)
        do {
            return try await body(authenticated)
        } catch let error as OAuthError {
            if let kind = refusals.proven { try await flows.refusals.request(authenticated, as: kind, error) }
            throw error
        }
    }

    private func proven(
        _ presented: ClientPresentation, _ refusal: AuditEvent.Kind
    ) async throws -> Authenticated<Parameters> {
        do {
            return try await flows.tokens.authenticator.authenticate(presented)
        } catch let error as OAuthError {
            try await flows.refusals.unproven(presented, as: refusal, error)
            throw error
        }
    }

    private func presented(
        _ parameters: Parameters, _ request: Request, _ context: RequestContext
    ) throws(OAuthError) -> ClientPresentation {
        ClientPresentation(
            credentials: try PresentedCredentials(
                authorization: request.fields["Authorization"], parameters: parameters),
            parameters: parameters, context: context, host: request.fields["Host"] ?? "", path: request.path,
            certificate: request.clientCertificate)
    }

    /// Client that a request names, authenticated or not.
    @Sendable static func client(_ request: Request) -> ClientID? {
        let presented = try? PresentedCredentials(
            authorization: request.fields["Authorization"],
            parameters: Parameters(body: request.body, mediaType: request.fields.mediaType))
        return presented?.clientID.map { ClientID($0) }
    }
}

extension Response {
    /// RFC 6749 clause 5.1.
    fileprivate static func tokens(_ tokens: TokenResponse) -> Response {
        var response = Response.json(tokens.bytes)
        response.fields.append("Pragma", "no-cache")
        return response
    }
}
