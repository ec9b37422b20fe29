import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import TestTools
import Testing
import X509

@Suite("RFC 8705 5: mtls_endpoint_aliases")
struct CertificateAliasTests {
    @Test("Every endpoint for clients has an alias under each host name; endpoints for browsers have none")
    func discovery() async throws {
        let fixture = try await CertificateFixture()
        for host in [InProcessServer.host, InProcessServer.customHost] {
            let path = "/.well-known/openid-configuration"
            let document = await fixture.server.send(.get(path, host: host)).json
            let aliases = try (document["mtls_endpoint_aliases"]?.objectValue).orThrow("not advertised")
            #expect(
                Set(aliases.map(\.name)) == [
                    "token_endpoint", "userinfo_endpoint", "revocation_endpoint", "introspection_endpoint",
                    "pushed_authorization_request_endpoint", "backchannel_authentication_endpoint",
                ])
            #expect(aliases["token_endpoint"] == .string("https://\(host):9443/oauth/token"))
            #expect(document["tls_client_certificate_bound_access_tokens"] == true)
            let methods = try (document["token_endpoint_auth_methods_supported"]?.stringsValue).orThrow("no methods")
            #expect(methods.contains("tls_client_auth") && methods.contains("self_signed_tls_client_auth"))
            // The issuer does not change.
            let there = await fixture.server.send(.get(path, host: "\(host):9443")).json
            #expect(there["issuer"] == .string("https://\(host)/"))
            #expect(there == document)
        }
    }

    @Test("An alias belongs to its tenant; another port or host name is 404")
    func hosts() async throws {
        let name = try DistinguishedName("CN=agent").orThrow("unreadable")
        let fixture = try await CertificateFixture([.name(.subject(name, text: "CN=agent"))])
        let identity = try fixture.authority.identity()
        #expect(await fixture.ask(identity, host: "dev.example:9443").status == 200)
        #expect(await fixture.ask(identity, host: "DEV.example:9443").status == 200)
        expectError(await fixture.ask(identity, host: "other.example:9443"), 401, "invalid_client")
        for host in ["dev.example:9444", "nobody.example:9443", ":9443", "dev.example:"] {
            expectError(await fixture.ask(identity, host: host), 404, "not_found")
        }
    }

    @Test("Metadata advertises certificate methods only if certificates arrive, and PKI only with authorities")
    func honesty() async throws {
        for (port, proxies) in [(nil, false), (9443, false), (nil, true)] as [(UInt16?, Bool)] {
            let server = try await InProcessServer { setup in
                setup.mtlsPort = port
                setup.certificateProxies = proxies ? [IPNetwork("10.1.0.0/16")].compactMap { $0 } : []
            }
            let document = await server.send(.get("/.well-known/openid-configuration")).json
            let methods = try (document["token_endpoint_auth_methods_supported"]?.stringsValue).orThrow("no methods")
            #expect(!methods.contains("tls_client_auth"))
            #expect(methods.contains("self_signed_tls_client_auth") == (port != nil || proxies))
            #expect(document["tls_client_certificate_bound_access_tokens"] == .bool(port != nil || proxies))
        }
    }

    @Test("An assertion's audience may be the called alias")
    func audience() async throws {
        let client = try Samples.signingClient()
        let server = try await InProcessServer { setup in
            setup.clients = [client]
            setup.mtlsPort = 9443
        }
        let assertion = try Samples.assertion(identifier: "1") { $0["aud"] = "https://dev.example:9443/oauth/revoke" }
        let parameters = Samples.proof(assertion).merging(["token": "x"]) { $1 }
        expectError(await server.send(.form("/oauth/revoke", parameters)), 401, "invalid_client")
        #expect(await server.send(.form("/oauth/revoke", parameters, host: "dev.example:9443")).status == 200)
    }
}
