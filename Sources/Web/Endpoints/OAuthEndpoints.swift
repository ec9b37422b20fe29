import AuthorizationCore
import Flows
import HTTPModel
import OAuthWire
import Primitives

/// What clients call with their own credentials: `/bc-authorize` (CIBA Core 7), `/oauth/token` (RFC 6749 clause 3.2),
/// `/oauth/par` (RFC 9126), `/oauth/revoke` (RFC 7009) and `/oauth/introspect` (RFC 7662).
struct OAuthEndpoints: Sendable {
    let flows: Application.Flows

    @Sendable func backchannelAuthentication(_ context: EndpointCall) async throws -> Response {
        try await answering(context, refusals: Refusals(unproven: .backchannelStartFailed)) { asked in
            .json(try await flows.start.start(asked, now: context.now).bytes)
        }
    }

    @Sendable func token(_ context: EndpointCall) async throws -> Response {
        try await answering(context, refusals: nil) { asked in
            let request = try TokenRequest(parsing: asked.message)
            try asked.requireGrant(request.grantType)
            switch request {
            case .backchannel(let authReqID):
                return try await backchannelTokens(asked.map { _ throws(OAuthError) in authReqID }, context)
            case .authorizationCode(let grant):
                return .tokens(
                    try await flows.redeemCode.redeem(asked.map { _ throws(OAuthError) in grant }, now: context.now))
            case .refreshToken(let grant):
                return .tokens(
                    try await flows.refresh.exchange(asked.map { _ throws(OAuthError) in grant }, now: context.now))
            case .clientCredentials(let grant):
                return .tokens(
                    try await flows.clientTokens.issue(asked.map { _ throws(OAuthError) in grant }, now: context.now))
            }
        }
    }

    private func backchannelTokens(
        _ asked: Authenticated<String>, _ context: EndpointCall
    ) async throws -> Response {
        let wait = wait(context.request, context.configuration)
        do {
            var response = Response.tokens(
                try await flows.redeem.redeem(
                    asked, hold: wait.map { .seconds($0) }, for: context.request.client))
            if let wait { response.fields.append("Preference-Applied", "wait=\(wait)") }
            return response
        } catch var error as OAuthError {
            // Who polls too fast is not held.
            if error.code != .slowDown { error.appliedWait = wait }
            throw error
        }
    }

    /// RFC 9126 clause 2.2.
    @Sendable func pushedAuthorization(_ context: EndpointCall) async throws -> Response {
        try await answering(context, refusals: Refusals(.pushedRequestRefused)) { asked in
            let pushed = try await flows.hosted.push.push(asked, now: context.now)
            var body = JSONWriter()
            body.object { body in
                body.member("request_uri", pushed.requestURI)
                body.member("expires_in", pushed.expiresIn)
            }
            return .json(body.bytes, status: 201)
        }
    }

    /// RFC 7009. The answer has no body, whatever the token was.
    @Sendable func revocation(_ context: EndpointCall) async throws -> Response {
        try await answering(context, refusals: Refusals(unproven: .clientCredentialsRefused)) { asked in
            // RFC 7009 clause 2.1: a hint that leads nowhere is none.
            if try await !flows.cancel.cancel(asked, now: context.now) {
                try await flows.revoke.revoke(asked, now: context.now)
            }
            return Response(status: 200, fields: ["Cache-Control": "no-store"])
        }
    }

    /// RFC 7662.
    @Sendable func introspection(_ context: EndpointCall) async throws -> Response {
        try await answering(context, refusals: Refusals(unproven: .clientCredentialsRefused)) { asked in
            .json(JSONWriter.bytes(.object(try await flows.introspect.introspect(asked, now: context.now))))
        }
    }

    private static let backchannel = GrantType.ciba.rawValue

    /// Answers a poll of a request that this node knows to be pending. Nil leaves the request to `token`.
    func answerSynchronously(
        _ request: Request, _ configuration: TenantConfiguration, now: Timestamp
    ) -> RedeemBackchannelRequest.SynchronousAnswer? {
        guard request.query == nil, wait(request, configuration) == nil,
            let parameters = try? Parameters(body: request.body, mediaType: request.fields.mediaType),
            // First, because other grants would authenticate their client twice.
            parameters["grant_type"] == Self.backchannel,
            let presented = try? presented(parameters, request, configuration, now: now),
            let asked = try? flows.authenticator.authenticateAtOnce(presented),
            asked.mayUse(.ciba), asked.hasCertificateToBind,
            let authReqID = try? TokenRequest.authReqID(parameters)
        else { return nil }
        return flows.redeem.answerSynchronously(authReqID, by: asked)
    }

    /// Seconds to hold a poll: the client's `Prefer: wait` (RFC 7240 clause 4.3), within the tenant's maximum. Nil
    /// answers at once. Of several waits the first counts, whatever it says (clause 2).
    private func wait(_ request: Request, _ configuration: TenantConfiguration) -> Int? {
        guard request.fields["Prefer"] != nil else { return nil }
        let maximum = configuration.tenant.settings.longPollMaximum
        guard maximum > 0 else { return nil }
        for header in request.fields.values(of: "Prefer") {
            for preference in header.split(separator: ",") {
                let text = preference.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
                guard text == "wait" || text.hasPrefix("wait=") || text.hasPrefix("wait;") else { continue }
                let digits = text.dropFirst(5).prefix { $0 != ";" }
                guard text.hasPrefix("wait="), !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) else {
                    return nil
                }
                // More than a number holds is more than the maximum.
                let seconds = min(Int(digits) ?? maximum, maximum)
                return seconds > 0 ? seconds : nil
            }
        }
        return nil
    }

    /// As what the audit log gets refusals.
    private struct Refusals {
        /// In the name of a client that was not proven.
        let unproven: AuditEvent.Kind
        /// Of proven clients; nil where the flow notes them itself, or where they are of no interest.
        let proven: AuditEvent.Kind?

        init(unproven: AuditEvent.Kind) {
            self.unproven = unproven
            proven = nil
        }

        init(_ kind: AuditEvent.Kind) {
            unproven = kind
            proven = kind
        }

        /// At the token endpoint.
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

    /// Reads the parameters, proves the client and notes refusals.
    /// `refusals` is nil where the grant decides.
    private func answering(
        _ context: EndpointCall, refusals: Refusals?, _ body: (Authenticated<Parameters>) async throws -> Response
    ) async throws -> Response {
        let request = context.request
        guard request.query == nil else {
            throw OAuthError(
                .invalidRequest, "Send the parameters in the body, not in the URL, where they would be logged")
        }
        let parameters = try Parameters(body: request.body, mediaType: request.fields.mediaType)
        let refusals = refusals ?? Refusals(of: parameters["grant_type"].flatMap { GrantType(rawValue: $0) })
        let asked = try await proven(
            try presented(parameters, request, context.configuration, now: context.now), refusals.unproven)
        do {
            return try await body(asked)
        } catch let error as OAuthError {
            if let kind = refusals.proven {
                try await flows.refusals.request(asked, as: kind, error, now: context.now)
            }
            throw error
        }
    }

    private func proven(
        _ presented: ClientPresentation, _ refusal: AuditEvent.Kind
    ) async throws -> Authenticated<Parameters> {
        do {
            return try await flows.authenticator.authenticate(presented)
        } catch let error as OAuthError {
            try await flows.refusals.unproven(presented, as: refusal, error, now: presented.now)
            throw error
        }
    }

    private func presented(
        _ parameters: Parameters, _ request: Request, _ configuration: TenantConfiguration, now: Timestamp
    ) throws(OAuthError) -> ClientPresentation {
        ClientPresentation(
            credentials: try PresentedCredentials(
                authorization: request.fields["Authorization"], parameters: parameters),
            parameters: parameters, configuration: configuration, host: request.fields["Host"] ?? "",
            path: request.path,
            certificate: request.clientCertificate, remoteAddress: request.remoteAddress, now: now)
    }

    /// The client that a request names, proven or not.
    @Sendable static func client(_ request: Request) -> ClientID? {
        guard let parameters = try? Parameters(body: request.body, mediaType: request.fields.mediaType) else {
            return nil
        }
        return (try? PresentedCredentials(authorization: request.fields["Authorization"], parameters: parameters))?
            .clientID.map { ClientID($0) }
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
