import Files
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Certificates")
struct CertificateTests {
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let day = Duration.seconds(86_400)

    @Test("A folder's authority and certificate are reused")
    func reuse() throws {
        let folder = try TemporaryFolder()
        let names = ["localhost", "*.localhost", "127.0.0.1", "::1", "id.Example.org"]
        let first = try LocalCA(folder: folder.path(""), now: Self.now).serverCertificate(names: names, now: Self.now)
        let second = try LocalCA(folder: folder.path(""), now: Self.now).serverCertificate(names: names, now: Self.now)
        #expect(first.isNew && !second.isNew)
        #expect(first.certificatePEM == second.certificatePEM)
        #expect(first.privateKeyPEM.bytes == second.privateKeyPEM.bytes)
        #expect(folder.names == ["ca-key.pem", "ca.pem", "server-key.pem", "server.pem"])
        #expect(folder.mode("ca-key.pem") == 0o600 && folder.mode("server-key.pem") == 0o600)
        #expect(folder.mode("ca.pem") == 0o644 && folder.mode("server.pem") == 0o644)
    }

    @Test("A certificate is renewed near its expiry or when its names change")
    func renewal() throws {
        let folder = try TemporaryFolder()
        let authority = try LocalCA(folder: folder.path(""), now: Self.now)
        func isNew(_ names: [String], after days: Int) throws -> Bool {
            try authority.serverCertificate(names: names, now: Self.now + Self.day * days).isNew
        }
        #expect(try isNew(["localhost"], after: 0))
        #expect(try !isNew(["localhost"], after: 366))
        #expect(try isNew(["localhost"], after: 368))
        #expect(try isNew(["localhost", "127.0.0.1"], after: 368))
        #expect(try !isNew(["localhost", "127.0.0.1"], after: 368))
        let renewed = try LocalCA(folder: folder.path(""), now: Self.now + Self.day * 3300)
        #expect(try renewed.serverCertificate(names: ["localhost"], now: Self.now + Self.day * 3300).isNew)
    }

    @Test("A certificate of another authority is replaced")
    func foreignCertificate() throws {
        let folder = try TemporaryFolder()
        _ = try LocalCA(folder: folder.path(""), now: Self.now).serverCertificate(names: ["a"], now: Self.now)
        try folder.write("", to: "server.pem")
        let authority = try LocalCA(folder: folder.path(""), now: Self.now)
        #expect(try authority.serverCertificate(names: ["a"], now: Self.now).isNew)
    }

    @Test(
        "Names other than DNS names and addresses are refused",
        arguments: [
            [], [""], ["a b"], ["localhost,DNS:evil"], ["-a"], ["a..b"], ["*.*.a"], ["a*"], ["\u{E9}.org"], ["a\n"],
            ["1::2::3"],
            [String(repeating: "a", count: 64)], ["a/b"], ["email:x@y"], ["@section"],
        ])
    func refusedNames(names: [String]) throws {
        let folder = try TemporaryFolder()
        let authority = try LocalCA(folder: folder.path(""), now: Self.now)
        #expect(throws: LocalCA.NameFailure.self) { try authority.serverCertificate(names: names, now: Self.now) }
    }

    @Test("An authority's key is refused if others may read it or it does not match")
    func refusedAuthority() throws {
        let folder = try TemporaryFolder()
        _ = try LocalCA(folder: folder.path(""), now: Self.now)
        folder.setMode("ca-key.pem", 0o644)
        #expect(throws: FileFailure.self) { try LocalCA(folder: folder.path(""), now: Self.now) }
        folder.setMode("ca-key.pem", 0o600)
        let other = try TemporaryFolder()
        let foreign = try LocalCA(folder: other.path(""), now: Self.now).serverCertificate(
            names: ["localhost"], now: Self.now)
        try folder.write(String(decoding: foreign.privateKeyPEM.bytes, as: UTF8.self), to: "ca-key.pem")
        #expect(throws: FileFailure.self) { try LocalCA(folder: folder.path(""), now: Self.now) }
        try folder.write("nonsense", to: "ca.pem")
        #expect(throws: OpenSSLFailure.self) { try LocalCA(folder: folder.path(""), now: Self.now) }
    }

    @Test("RFC 7517 4.7: every signing key has a certificate for x5c", arguments: JWSAlgorithm.allCases)
    func signingKey(algorithm: JWSAlgorithm) throws {
        let signer = try OpenSSLSigner.generate(algorithm: algorithm)
        let der = try signer.selfSignedCertificateDER(
            commonName: "id.example.org", notBefore: Self.now, notAfter: Self.now + Self.day * 3650)
        // SEQUENCE with a two-byte length, as every certificate of this size.
        #expect(der.starts(with: [0x30, 0x82]) || der.starts(with: [0x30, 0x81]))
        if case .ec(_, let x, let y) = signer.publicKey.material { #expect(der.contains(x + y)) }
        if case .rsa(let n, _) = signer.publicKey.material { #expect(der.contains(n)) }
        #expect(throws: OpenSSLFailure.self) {
            try signer.selfSignedCertificateDER(
                commonName: String(repeating: "a", count: 65), notBefore: Self.now, notAfter: Self.now)
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
