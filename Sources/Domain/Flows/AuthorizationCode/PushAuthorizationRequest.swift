package import AuthorizationCore
import Localization
package import OAuthWire
package import Primitives

/// The pushed authorization request endpoint's work (RFC 9126 clause 2).
package struct PushAuthorizationRequest: Sendable {
    /// RFC 9126 clause 2.2.
    static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"
    /// Seconds until a pushed request must have been used, as Auth0 has it.
    package static let lifetime = 30

    package struct Response: Sendable, Equatable {
        package let requestURI: String
        /// Seconds.
        package let expiresIn: Int
    }

    private let store: any LoginTransactionStore
    private let hashing: any Hashing
    private let random: any RandomSource
    private let limit: LoginLimit

    package init(
        store: any LoginTransactionStore, hashing: any Hashing, random: any RandomSource, limit: LoginLimit
    ) {
        self.store = store
        self.hashing = hashing
        self.random = random
        self.limit = limit
    }

    /// Refuses with `OAuthError` whatever the authorization endpoint would refuse (RFC 9126 clause 2.1).
    package func push(_ asked: Authenticated<Parameters>, now: Timestamp) async throws -> Response {
        let parameters = asked.message
        guard parameters["request_uri"] == nil else {
            throw OAuthError(.invalidRequest, "request_uri must not be pushed")
        }
        try asked.requireGrant(.authorizationCode)
        guard parameters["client_id"] ?? asked.client.id.rawValue == asked.client.id.rawValue else {
            throw OAuthError(.invalidRequest, "client_id is not the authenticated client")
        }
        var kept = parameters.encoded(only: AuthorizationRequest.parameterNames)
        if parameters["client_id"] == nil {
            kept += "&client_id=\(PercentEncoding.encode(asked.client.id.rawValue))"
        }
        let complete = try Parameters(form: Array(kept.utf8))
        do {
            _ = try AuthorizationTarget(complete, configuration: asked.configuration)
        } catch {
            throw OAuthError(.invalidRequest, ErrorDescription(error.text[.english]), detail: error.detail)
        }
        // Before the work is done: what is refused counts, too.
        try limit.admit(unproven: asked, now: now)
        _ = try CheckedAuthorizationRequest(
            parameters, from: asked.client, configuration: asked.configuration, came: .pushed)
        let requestURI = try await keep(kept, of: asked.client.id, tenant: asked.tenant.id, now: now)
        return Response(requestURI: requestURI, expiresIn: Self.lifetime)
    }

    /// Keeps a request that a browser brought, and that no address has room for: the `request_uri` with which it comes
    /// again. It may no more than if it were not pushed, since its client proved nothing. Throws `OAuthError` for what
    /// the client is told, and `AuthorizationPageFailure` for what the person is.
    package func keep(
        unproven parameters: Parameters, from address: String, configuration: TenantConfiguration, now: Timestamp
    ) async throws -> String {
        let client = try AuthorizationTarget(parameters, configuration: configuration).client
        _ = try CheckedAuthorizationRequest(parameters, from: client, configuration: configuration, came: .byBrowser)
        try limit.admit(address, tenant: configuration.tenant, now: now)
        return try await keep(
            parameters.encoded(only: AuthorizationRequest.parameterNames), of: client.id,
            tenant: configuration.tenant.id,
            now: now)
    }

    private func keep(_ form: String, of client: ClientID, tenant: TenantID, now: Timestamp) async throws -> String {
        let reference = Identifiers.handle(random)
        try await store.push(
            PushedAuthorizationRequest(
                hash: hashing.sha256(Array(reference.utf8)), tenant: tenant, client: client, parameters: form,
                expiresAt: now + .seconds(Self.lifetime)))
        return Self.requestURIPrefix + reference
    }
}
