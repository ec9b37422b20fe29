import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("RFC 8414, OIDC Discovery and CIBA Core 4: metadata")
struct MetadataTests {
    static let paths = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]

    @Test(
        "RFC 8414 clause 3: GET and HEAD, JSON, cacheable",
        arguments: paths + ["/.well-known/jwks.json"])
    func published(path: String) async throws {
        let server = try await InProcessServer()
        let answer = await server.send(.get(path))
        #expect(answer.status == 200)
        #expect(answer.fields["Content-Type"] == "application/json")
        #expect(answer.fields["Cache-Control"] == "public, max-age=300")
        var head = Request.get(path)
        head.method = .head
        let answered = await server.send(head)
        #expect(answered.status == 200)
        #expect(answered.fields["ETag"] == answer.fields["ETag"])
        for method in [HTTPMethod.post, .put, .delete] {
            var other = Request.get(path)
            other.method = method
            let refused = await server.send(other)
            expectError(refused, 405, "method_not_allowed")
            #expect(refused.fields["Allow"] == "GET, OPTIONS, HEAD")
        }
    }

    @Test(
        "RFC 9110 13.1.2: a matching If-None-Match is answered with 304 and no body",
        arguments: paths + ["/.well-known/jwks.json"])
    func notModified(path: String) async throws {
        let server = try await InProcessServer()
        let tag = try await server.send(.get(path)).fields["ETag"].orThrow("no ETag")
        for value in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            let answer = await server.send(.get(path, fields: ["If-None-Match": value]))
            #expect(answer.status == 304, "\(value)")
            #expect(answer.text.isEmpty)
            #expect(answer.fields["ETag"] == tag)
            #expect(answer.fields["Cache-Control"] == "public, max-age=300")
        }
        #expect(await server.send(.get(path, fields: ["If-None-Match": "\"other\""])).status == 200)
    }

    @Test("The entity tag changes with the document")
    func tags() async throws {
        let server = try await InProcessServer()
        let mine = await server.send(.get("/.well-known/jwks.json"))
        let other = await server.send(.get("/.well-known/jwks.json", host: InProcessServer.otherHost))
        #expect(mine.fields["ETag"] != other.fields["ETag"])
    }

    @Test("Both metadata documents of a tenant agree")
    func tenants() async throws {
        let server = try await InProcessServer()
        let documents = [
            await server.send(.get(Self.paths[0])), await server.send(.get(Self.paths[1])),
            await server.send(.get(Self.paths[0], host: "DEV.example:443")),
        ]
        for document in documents { #expect(document["issuer"] == "https://dev.example/") }
        #expect(documents[0].body == documents[1].body)
        let other = await server.send(.get(Self.paths[0], host: InProcessServer.otherHost))
        #expect(other["issuer"] == "https://other.example/")
        #expect(!other.text.contains("dev.example"))
        expectError(await server.send(.get(Self.paths[0], host: "nobody.example")), 404, "not_found")
    }

    @Test(
        "Discovery 4.3: the issuer is the fetched URL, and every advertised endpoint answers",
        arguments: [InProcessServer.host, InProcessServer.customHost])
    func endpoints(host: String) async throws {
        let fixture = try await ConformanceFixture()
        let document = await fixture.server.send(.get(Self.paths[0], host: host)).json.objectValue ?? [:]
        #expect(document["issuer"]?.stringValue == "https://\(host)/")
        let names = Set(document.map(\.name).filter { $0.hasSuffix("_endpoint") || $0 == "jwks_uri" })
        // Endpoints that require client credentials or a token. Browsers use the others.
        let asking: Set = [
            "token_endpoint", "revocation_endpoint", "introspection_endpoint", "userinfo_endpoint",
            "backchannel_authentication_endpoint",
        ]
        #expect(
            names
                == asking.union([
                    "jwks_uri", "authorization_endpoint", "pushed_authorization_request_endpoint",
                    "end_session_endpoint",
                ]))
        for name in names {
            let url = try (document[name]?.stringValue).orThrow("no URL")
            #expect(url.hasPrefix("https://\(host)/"))
            let path = "/" + url.dropFirst("https://\(host)/".count)
            if asking.contains(name) {
                #expect(await fixture.server.send(.form(path, [:], host: host)).status == 401, "\(path)")
            } else if name == "jwks_uri" {
                #expect(await fixture.server.send(.get(path, host: host)).status == 200)
            }
        }
    }

    @Test("Only available features are advertised, and endpoints that are not advertised do not answer")
    func nothingMore() async throws {
        let server = try await InProcessServer()
        let document = await server.send(.get(Self.paths[0])).json
        #expect(document["response_types_supported"] == ["code"])
        #expect(document["response_modes_supported"] == ["query", "fragment", "form_post", "web_message"])
        #expect(document["code_challenge_methods_supported"] == ["S256"])
        #expect(
            document["acr_values_supported"] == [
                "urn:countersign:acr:device-key", "http://schemas.openid.net/pape/policies/2007/06/multi-factor",
            ])
        #expect(document["authorization_response_iss_parameter_supported"] == true)
        #expect(document["backchannel_token_delivery_modes_supported"] == ["poll"])
        #expect(document["backchannel_user_code_parameter_supported"] == false)
        #expect(document["request_parameter_supported"] == false)
        #expect(document["request_uri_parameter_supported"] == false)
        for name in [
            "registration_endpoint", "device_authorization_endpoint", "check_session_iframe",
            "backchannel_authentication_request_signing_alg_values_supported", "mtls_endpoint_aliases",
        ] { #expect(document[name] == nil, "\(name)") }
        for path in ["/oidc/register", "/oauth/device/code", "/", "/oauth/token/", "/userinfo/", "/api/v2"] {
            let answer = await server.send(.get(path))
            #expect(answer.status == 404, "\(path)")
            #expect(!answer.message.isEmpty)
        }
    }

    @Test("Every advertised grant and client authentication method works")
    func methods() async throws {
        let fixture = try await ConformanceFixture()
        let document = await fixture.server.send(.get(Self.paths[0])).json
        #expect(
            document["grant_types_supported"] == [
                "authorization_code", "refresh_token", "client_credentials", "urn:openid:params:grant-type:ciba",
            ])
        let confidential: JSONValue = ["client_secret_post", "client_secret_basic", "private_key_jwt"]
        let all = JSONValue((confidential.stringsValue ?? []) + ["none"])
        for (endpoint, methods) in [("token", all), ("revocation", all), ("introspection", confidential)] {
            #expect(document["\(endpoint)_endpoint_auth_methods_supported"] == methods)
            // ClientAssertionTests uses every one of them.
            #expect(
                document["\(endpoint)_endpoint_auth_signing_alg_values_supported"]
                    == ["RS256", "RS384", "PS256", "PS384", "ES256", "ES384", "EdDSA"])
        }
        let id = try await fixture.client.started()
        let bare = fixture.client.pollParameters(id).filter { $0.key != "client_id" && $0.key != "client_secret" }
        let answer = await fixture.server.send(
            .form("/oauth/token", bare, fields: ["Authorization": basic("agent", Samples.secret)]))
        expectError(answer, 400, "authorization_pending")
    }

    @Test("Every advertised algorithm signs ID tokens, with a key that is published")
    func algorithms() async throws {
        let fixture = try await ConformanceFixture { setup in
            for algorithm in [JWSAlgorithm.rs256, .ps256, .es256, .edDSA] {
                setup.clients.append(Samples.client("c-\(algorithm.rawValue)") { $0.idTokenAlgorithm = algorithm })
            }
        }
        let document = await fixture.server.send(.get(Self.paths[0])).json
        let names = try (document["id_token_signing_alg_values_supported"]?.stringsValue).orThrow("not advertised")
        #expect(Set(names) == ["RS256", "PS256", "ES256", "EdDSA"])
        for name in names {
            fixture.server.advance(.seconds(61))
            let answer = try await fixture.tokens(from: InProcessClient("c-\(name)", via: fixture.server))
            #expect(try await fixture.verified(answer["id_token"]).jws.algorithm.rawValue == name)
        }
    }

    @Test("RFC 9396 10: registered types are advertised, and the member is absent without any")
    func detailTypes() async throws {
        let server = try await InProcessServer()
        #expect(await server.send(.get(Self.paths[0]))["authorization_details_types_supported"] == ["payment"])
        let bare = try await InProcessServer { $0.apis = [] }
        #expect(await bare.send(.get(Self.paths[0]))["authorization_details_types_supported"] == nil)
    }

    @Test("Every advertised scope and language is supported")
    func scopesAndLanguages() async throws {
        let fixture = try await ConformanceFixture()
        let document = await fixture.server.send(.get(Self.paths[0])).json
        let scopes = try (document["scopes_supported"]?.stringsValue).orThrow("not advertised")
        let answer = try await fixture.tokens(["scope": scopes.joined(separator: " ")])
        #expect(Set((answer["scope"]?.stringValue ?? "").split(separator: " ").map(String.init)) == Set(scopes))
        let languages = try (document["ui_locales_supported"]?.stringsValue).orThrow("not advertised")
        for language in languages {
            var page = Request.get("/authorize")
            page.query = "ui_locales=\(language)"
            #expect(await fixture.server.send(page).text.contains("<html lang=\"\(language)\""))
        }
    }

    @Test("RFC 7517: the key set holds public members only, each with kid, alg and use")
    func keys() async throws {
        let server = try await InProcessServer()
        let keys = await server.send(.get("/.well-known/jwks.json"))["keys"]?.arrayValue ?? []
        #expect(keys.count == 4)
        for key in keys {
            for name in ["d", "p", "q", "dp", "dq", "qi", "k"] { #expect(key[name] == nil) }
            for name in ["kid", "alg", "use", "kty"] { #expect(key[name]?.stringValue?.isEmpty == false) }
        }
    }

    @Test("/healthz and /readyz answer without a tenant", arguments: ["/healthz", "/readyz"])
    func probes(path: String) async throws {
        let server = try await InProcessServer()
        #expect(await server.send(.get(path, host: "10.0.0.7")).status == 200)
        for method in [HTTPMethod.post, .put, .delete, .options] {
            var other = Request.get(path)
            other.method = method
            let refused = await server.send(other)
            expectError(refused, 405, "method_not_allowed", "Use GET, HEAD here")
            #expect(refused.fields["Allow"] == "GET, HEAD")
        }
    }
}
