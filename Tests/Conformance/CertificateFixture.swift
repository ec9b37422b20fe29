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

/// A server with clients that authenticate by certificate.
struct CertificateFixture {
    static let proxy = "10.1.2.3"

    let server: InProcessServer
    let authority: TestAuthority

    init(
        _ credentials: [ClientCredential.Content] = [], method: Client.AuthenticationMethod = .tlsClientAuth,
        authority: TestAuthority? = nil, _ change: (inout Client) -> Void = { _ in }
    ) async throws {
        let made = try authority ?? TestAuthority()
        self.authority = made
        var client = Samples.client("machine") { client in
            client.secretHashes = [Samples.hashing.sha256(Array(Samples.secret.utf8))]
            client.authenticationMethod = method
            client.grantTypes = [.clientCredentials, .ciba]
            client.limit(to: [Samples.api: nil])
            client.credentials = credentials.enumerated().map { index, content in
                ClientCredential(
                    id: ClientCredentialID("cred_\(index)"), content: content, createdAt: Samples.start)
            }
        }
        change(&client)
        let machine = client
        server = try await InProcessServer { setup in
            setup.clients += [machine, Samples.app("public")]
            setup.clientAuthorities = try ClientAuthorities(pem: made.pem)
            setup.mtlsPort = 9443
            setup.certificateProxies = [IPNetwork("10.1.0.0/16")].compactMap { $0 }
        }
    }

    static func request(
        _ path: String, _ parameters: [String: String?], _ certificate: ClientCertificate?,
        host: String = InProcessServer.host
    ) -> Request {
        var request = Request.form(path, parameters, host: host)
        request.clientCertificate = certificate
        return request
    }

    /// Requests a token by client credentials.
    func ask(
        _ identity: TestAuthority.Identity?, _ parameters: [String: String?] = [:], host: String = InProcessServer.host
    ) async -> HTTPAnswer {
        let presets: [String: String?] = [
            "client_id": "machine", "grant_type": "client_credentials", "audience": Samples.api,
        ]
        return await server.send(
            Self.request(
                "/oauth/token", presets.merging(parameters) { $1 }, identity.map { ClientCertificate(leaf: $0.der) },
                host: host))
    }
}
