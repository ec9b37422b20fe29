import APIDescription
import AuthorizationCore
import HTTPModel
import JOSE
import Localization
import OAuthWire
import Primitives
import Routing

/// Metadata of the server (OIDC Discovery 1.0, RFC 8414, CIBA Core 4) and its keys (RFC 7517).
struct MetadataEndpoints: Sendable {
    /// Seconds for which metadata may be cached. New keys are published as `next` long before they sign.
    static let lifetime = 300

    /// Port at which the server asks for certificates.
    let mtlsPort: UInt16?
    /// True if clients' certificates reach the server: by that port, or from a proxy.
    let certificatesCome: Bool
    let methods: [Client.AuthenticationMethod]

    var routes: [Route] {
        [
            Route(
                EndpointPath.openIDConfiguration, .oauth, scripts: .anyone,
                [.get: (.openIDConfiguration, configuration)]),
            Route(
                EndpointPath.authorizationServerMetadata, .oauth, scripts: .anyone,
                [.get: (.authorizationServerMetadata, configuration)]),
            Route(EndpointPath.keySet, .oauth, scripts: .anyone, [.get: (.keySet, keys)]),
        ]
    }

    @Sendable func configuration(_ call: EndpointCall) async throws -> Response {
        cacheable(JSONWriter.bytes(document(of: call.configuration)), call)
    }

    @Sendable func keys(_ call: EndpointCall) async throws -> Response {
        cacheable(JSONWriter.bytes(call.configuration.keys.document), call)
    }

    func openAPIRoute(_ description: OpenAPIDocument) -> Route {
        Route(
            EndpointPath.openAPI, .oauth, scripts: .anyone,
            [
                .get: (
                    .openAPI,
                    { call in
                        let document = description.json(server: call.tenant.issuer, version: Release.version)
                        return cacheable(JSONWriter.bytes(.object(document)), call)
                    }
                )
            ])
    }

    /// Lists only features that work at this server.
    func document(of configuration: TenantConfiguration) -> JSONValue {
        let issuer = configuration.tenant.issuer
        let algorithms = configuration.keys.algorithms.map(\.rawValue)
        let detailTypes = Set(configuration.resourceServers.values.flatMap { $0.authorizationDetailsTypes.map(\.type) })
        let all = JSONValue(methods.map(\.rawValue))
        let confidential = JSONValue(methods.filter { $0 != .none }.map(\.rawValue))
        let assertionAlgorithms = JSONValue(Client.assertionAlgorithms.map(\.rawValue))
        func url(_ path: EndpointPath) -> JSONValue { .string(path.url(below: issuer)) }
        var document: JSONObject = [
            "issuer": .string(issuer),
            "authorization_endpoint": url(.authorization),
            "token_endpoint": url(.token),
            "userinfo_endpoint": url(.userInfo),
            "jwks_uri": url(.keySet),
            "tls_client_certificate_bound_access_tokens": .bool(certificatesCome),
            "revocation_endpoint": url(.revocation),
            "introspection_endpoint": url(.introspection),
            "pushed_authorization_request_endpoint": url(.pushedAuthorization),
            "end_session_endpoint": url(.endSession),
            "backchannel_authentication_endpoint": url(.backchannelAuthentication),
            "backchannel_token_delivery_modes_supported": .array(
                BackchannelTokenDeliveryMode.allCases.map { .string($0.rawValue) }),
            "backchannel_user_code_parameter_supported": false,
            "backchannel_logout_supported": true,
            "backchannel_logout_session_supported": true,
            "authorization_response_iss_parameter_supported": true,
            "grant_types_supported": JSONValue(GrantType.allCases.map(\.rawValue)),
            "response_types_supported": ["code"],
            "response_modes_supported": JSONValue(AuthorizationRequest.ResponseMode.allCases.map(\.rawValue)),
            "prompt_values_supported": JSONValue(AuthorizationRequest.Prompt.allCases.map(\.rawValue)),
            "code_challenge_methods_supported": [.string(CodeChallenge.method)],
            "subject_types_supported": ["public"],
            "acr_values_supported": JSONValue(AuthenticationContextClass.allCases.map(\.rawValue)),
            "id_token_signing_alg_values_supported": JSONValue(algorithms),
            "token_endpoint_auth_methods_supported": all,
            "token_endpoint_auth_signing_alg_values_supported": assertionAlgorithms,
            "revocation_endpoint_auth_methods_supported": all,
            "revocation_endpoint_auth_signing_alg_values_supported": assertionAlgorithms,
            "introspection_endpoint_auth_methods_supported": confidential,
            "introspection_endpoint_auth_signing_alg_values_supported": assertionAlgorithms,
            "scopes_supported": JSONValue(ScopeSet.openIDScopes.sorted()),
            "claims_supported": [
                "acr", "amr", "at_hash", "aud", "auth_time", "created_at", "email", "email_verified", "exp",
                "family_name", "given_name", "iat", "iss", "locale", "name", "nickname", "nonce", "phone_number",
                "phone_number_verified", "picture", "sid", "sub", "updated_at",
            ],
            "ui_locales_supported": JSONValue(Language.allCases.map(\.rawValue)),
            "request_parameter_supported": false,
            "request_uri_parameter_supported": false,
        ]
        if let mtlsPort {
            // RFC 8705 clause 5: all endpoints that a client calls itself.
            let alias = configuration.tenant.alias(port: mtlsPort)
            var aliases = JSONObject()
            for (name, value) in document where name.hasSuffix("_endpoint") && !Self.browserEndpoints.contains(name) {
                if let url = value.stringValue { aliases[name] = .string(alias + url.dropFirst(issuer.count)) }
            }
            document["mtls_endpoint_aliases"] = .object(aliases)
        }
        if !detailTypes.isEmpty { document["authorization_details_types_supported"] = JSONValue(detailTypes.sorted()) }
        return .object(document)
    }

    /// Endpoints of browsers, which would ask their users for a certificate.
    private static let browserEndpoints: Set = ["authorization_endpoint", "end_session_endpoint"]

    /// Answers 304 to a client that has the current text (RFC 9110 clause 13). A `lifetime` of 0 seconds makes it ask
    /// each time.
    func cacheable(
        _ body: [UInt8], _ call: EndpointCall, as contentType: String = "application/json",
        lifetime: Int = Self.lifetime
    ) -> Response {
        let tag = "\"\(String(fingerprint(body), radix: 36))\""
        var response = Response(
            status: 200,
            fields: [
                "Content-Type": contentType,
                "Cache-Control": lifetime == 0 ? "no-cache" : "public, max-age=\(lifetime)", "ETag": tag,
            ],
            body: .bytes(body))
        let known = call.request.fields.values(of: "If-None-Match").joined(separator: ",")
        if known == "*" || known.contains(tag) {
            response.status = 304
            response.body = .bytes([])
            response.fields.remove("Content-Type")
        }
        return response
    }

    /// FNV-1a, which suffices for an entity tag.
    private func fingerprint(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
