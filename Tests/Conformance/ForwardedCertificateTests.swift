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

@Suite("RFC 9440: client certificates from a proxy")
struct ForwardedCertificateTests {
    private func ask(
        _ fixture: CertificateFixture, from address: String, _ fields: HTTPFields,
        certificate: ClientCertificate? = nil
    ) async -> HTTPAnswer {
        var request = CertificateFixture.request(
            "/oauth/token",
            ["client_id": "machine", "grant_type": "client_credentials", "audience": Samples.api], certificate)
        request.remoteAddress = address
        for field in fields { request.fields.append(field.name, field.value) }
        return await fixture.server.send(request)
    }

    private static func field(_ der: [UInt8]) -> String { ":\(Base64.encode(der)):" }

    @Test("2.2: only a listed proxy may pass a certificate")
    func proxies() async throws {
        let mine = try TestAuthority.selfSigned()
        let fixture = try await CertificateFixture(
            [.certificate(try Certificate(der: mine.der).orThrow("unreadable"))], method: .selfSignedTLSClientAuth)
        let fields: HTTPFields = ["Client-Cert": Self.field(mine.der)]
        for address in ["10.1.2.3", "10.1.255.255", "::ffff:10.1.0.1"] {
            #expect(await ask(fixture, from: address, fields).status == 200, "\(address)")
        }
        for address in ["10.2.0.1", "127.0.0.1", "::1", "203.0.113.9", ""] {
            expectError(await ask(fixture, from: address, fields), 401, "invalid_client")
        }
        // The connection's certificate is the proxy's own.
        expectError(
            await ask(fixture, from: CertificateFixture.proxy, [:], certificate: ClientCertificate(leaf: mine.der)),
            401,
            "invalid_client")
        // From other addresses the field is ignored.
        let own = ClientCertificate(leaf: mine.der)
        let other = Self.field(try TestAuthority.selfSigned().der)
        #expect(await ask(fixture, from: "203.0.113.9", ["Client-Cert": other], certificate: own).status == 200)
        expectError(
            await ask(fixture, from: CertificateFixture.proxy, ["Client-Cert": other], certificate: own), 401,
            "invalid_client")
        // A chain without a certificate is refused.
        expectError(
            await ask(fixture, from: CertificateFixture.proxy, ["Client-Cert-Chain": Self.field(mine.der)]), 401,
            "invalid_client")
    }

    @Test("2.3: Client-Cert-Chain carries intermediate authorities")
    func chain() async throws {
        let name = try DistinguishedName("CN=agent").orThrow("unreadable")
        let fixture = try await CertificateFixture([.name(.subject(name, text: "CN=agent"))])
        let identity = try fixture.authority.identity()
        let fields: HTTPFields = [
            "Client-Cert": Self.field(identity.der),
            "Client-Cert-Chain": "\(Self.field(fixture.authority.der)), \(Self.field(fixture.authority.der))",
        ]
        #expect(await ask(fixture, from: CertificateFixture.proxy, fields).status == 200)
        let stranger = try TestAuthority()
        let foreign: HTTPFields = [
            "Client-Cert": Self.field(try stranger.identity().der), "Client-Cert-Chain": Self.field(stranger.der),
        ]
        expectError(await ask(fixture, from: CertificateFixture.proxy, foreign), 401, "invalid_client")
    }

    @Test(
        "A malformed field from a proxy is refused, not ignored",
        arguments: ["", ":", "::", "AAAA", ":AAA:", ":AAAA", ":AA*A:", "\"AAAA\"", ":AAAA:, :AAAA:"])
    func malformed(text: String) async throws {
        let fixture = try await CertificateFixture()
        let fields: HTTPFields = ["Client-Cert": text]
        expectError(await ask(fixture, from: CertificateFixture.proxy, fields), 400, "invalid_request")
        var repeated: HTTPFields = ["Client-Cert": ":AAAA:"]
        repeated.append("client-cert", ":AAAA:")
        expectError(await ask(fixture, from: CertificateFixture.proxy, repeated), 400, "invalid_request")
    }
}
