package import AuthorizationCore
import Localization
package import OAuthWire
package import Primitives

package protocol PushedRequestStore: Sendable {
    /// Keeps a pushed request (RFC 9126) until `expiresAt`.
    func push(_ request: PushedAuthorizationRequest) async throws
}

/// A pushed authorization request (RFC 9126 clause 2).
package struct PushedAuthorizationRequest: Sendable, Equatable {
    /// SHA-256 of the random part of the `request_uri`.
    package let hash: [UInt8]
    package let tenant: TenantID
    package let client: ClientID
    /// The request's parameters as a form. They were checked when the request came.
    package let parameters: String
    package let expiresAt: Timestamp
}

/// The pushed authorization request endpoint (RFC 9126 clause 2).
package struct PushAuthorizationRequest: Sendable {
    /// RFC 9126 clause 2.2.
    static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"
    /// Seconds until a pushed request expires; Auth0's value.
    package static let lifetime = 30

    package struct Response: Sendable, Equatable {
        package let requestURI: String
        /// Seconds.
        package let expiresIn: Int
    }

    let store: any PushedRequestStore
    let hashing: any Hashing
    let random: any RandomSource
    let limit: LoginLimit

    /// Refuses with `OAuthError` what the authorization endpoint would refuse (RFC 9126 clause 2.1).
    package func push(_ request: Authenticated<Parameters>, context: RequestContext) async throws -> Response {
        let parameters = request.message
        guard parameters["request_uri"] == nil else {
            throw OAuthError(.invalidRequest, "request_uri must not be pushed")
        }
        try request.requireGrant(.authorizationCode)
        guard parameters["client_id"] ?? request.client.id.rawValue == request.client.id.rawValue else {
            throw OAuthError(.invalidRequest, "client_id is not the authenticated client")
        }
        var kept = parameters.encoded(only: AuthorizationRequest.parameterNames)
        if parameters["client_id"] == nil { kept += "&client_id=\(PercentEncoding.encode(request.client.id.rawValue))" }
        let complete = try Parameters(form: Array(kept.utf8))
        do {
            _ = try AuthorizationTarget(complete, configuration: context.configuration)
        } catch {
            throw OAuthError(.invalidRequest, ErrorDescription(error.text[.english]), detail: error.detail)
        }
        // Before the work is done: refused requests count, too.
        try limit.admit(request.client, context)
        _ = try CheckedAuthorizationRequest(
            parameters, from: request.client, configuration: context.configuration, came: .pushed)
        let requestURI = try await keep(kept, of: request.client.id, context)
        return Response(requestURI: requestURI, expiresIn: Self.lifetime)
    }

    /// Keeps a request that a browser brought and that is too long for an address. Returns the `request_uri` for its
    /// second coming. The request may do no more than one that is not pushed, since its client proved nothing. Throws
    /// `OAuthError` for faults that the client is told, and `AuthorizationPageFailure` for those that the person is.
    package func keep(unproven parameters: Parameters, context: RequestContext) async throws -> String {
        let client = try AuthorizationTarget(parameters, configuration: context.configuration).client
        _ = try CheckedAuthorizationRequest(
            parameters, from: client, configuration: context.configuration, came: .byBrowser)
        try limit.admit(context)
        return try await keep(parameters.encoded(only: AuthorizationRequest.parameterNames), of: client.id, context)
    }

    private func keep(_ form: String, of client: ClientID, _ context: RequestContext) async throws -> String {
        let reference = Identifiers.handle(random)
        try await store.push(
            PushedAuthorizationRequest(
                hash: hashing.digest(reference), tenant: context.tenant.id, client: client, parameters: form,
                expiresAt: context.now + .seconds(Self.lifetime)))
        return Self.requestURIPrefix + reference
    }
}
