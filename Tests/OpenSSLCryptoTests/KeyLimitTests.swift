import COpenSSL
import COpenSSLSeam
import JOSE
import OpenSSLCrypto
import Primitives
import Testing
import X509

/// A stranger may have written a key so that decoding it, or a signature by it, takes minutes.
@Suite("Limits of keys in files")
struct KeyLimitTests {
    /// Form of a file with a private key.
    enum Container: CaseIterable {
        case pkcs12, pkcs8, traditional

        /// Failure of a key whose numbers do not belong together.
        var broken: KeyFileFailure { self == .pkcs12 ? .unsupported : .malformed }
    }

    private static let now = Timestamp(seconds: 1_800_000_000)
    private let keys = OpenSSLKeyFiles()

    /// Returns the failure of `body`, which must come at once.
    private func failure(of body: () throws(KeyFileFailure) -> Void) -> KeyFileFailure? {
        var failure: KeyFileFailure?
        let duration = ContinuousClock().measure {
            do throws(KeyFileFailure) { try body() } catch { failure = error }
        }
        #expect(duration < .seconds(2))
        return failure
    }

    private func failure(_ key: ForgedKey, in container: Container) -> KeyFileFailure? {
        failure { () throws(KeyFileFailure) in
            switch container {
            case .pkcs12: _ = try keys.identity(pkcs12: ForgedPKCS12.file([ForgedPKCS12.bag(key: key)]))
            case .pkcs8: _ = try keys.signer(pem: ForgedKey.pem("PRIVATE KEY", key.info), algorithm: .rs256)
            case .traditional: _ = try keys.signer(pem: ForgedKey.pem(key.label, key.content), algorithm: .rs256)
            }
        }
    }

    private func failure(pem: SecretBytes) -> KeyFileFailure? {
        failure { () throws(KeyFileFailure) in _ = try keys.signer(pem: pem, algorithm: .rs256) }
    }

    private func failure(pkcs12 file: [UInt8]) -> KeyFileFailure? {
        failure { () throws(KeyFileFailure) in _ = try keys.identity(pkcs12: file) }
    }

    // MARK: private keys

    @Test("Keys of RSA and P-256 are read in every form", arguments: [JWSAlgorithm.rs256, .es256])
    func accepted(algorithm: JWSAlgorithm) throws {
        let signer = try OpenSSLSigner.generate(algorithm: algorithm)
        let key = try ForgedKey(signer)
        let other = ForgedKey.pem("EC PARAMETERS", ForgedKey.Name.p256).bytes
        for pem in [ForgedKey.pem("PRIVATE KEY", key.info), ForgedKey.pem(key.label, key.content)] {
            for text in [pem, SecretBytes(other + pem.bytes)] {
                let read = try keys.signer(pem: text, algorithm: algorithm)
                #expect(read.publicKey.material == signer.publicKey.material)
            }
        }
        let certificate = try signer.selfSignedCertificateDER(
            commonName: "a", notBefore: Self.now, notAfter: Self.now + .seconds(60))
        let issuers = [ForgedPKCS12.certificate(rsaBits: 1024), ForgedPKCS12.certificate(rsaBits: 8192)]
        let identity = try keys.identity(
            pkcs12: ForgedPKCS12.file(
                [ForgedPKCS12.bag(key: key)] + (issuers + [certificate]).map { ForgedPKCS12.bag(certificate: $0) }))
        #expect(identity.certificate.der == certificate)
        let again = try keys.signer(pem: identity.privateKeyPEM, algorithm: algorithm)
        #expect(again.publicKey.material == signer.publicKey.material)
    }

    @Test("DSA and DH keys are refused by their kind", arguments: Container.allCases)
    func otherKinds(container: Container) {
        for key in [ForgedKey.dsa(bits: 32_000), .dh(bits: 32_000)] {
            #expect(failure(key, in: container) == .keyType)
        }
    }

    @Test("RSA keys have 2048 to 8192 bits", arguments: Container.allCases)
    func modulusSize(container: Container) {
        for bits in [512, 1024, 2047, 8193, 30_000] {
            #expect(failure(.rsa(bits: bits), in: container) == .keySize, "\(bits)")
        }
    }

    @Test("RSA keys have odd exponents of 2 to 32 bits", arguments: Container.allCases)
    func exponentSize(container: Container) throws {
        var numbers = try ForgedKey.realNumbers()
        for exponent in [[1], [1, 0, 0], ForgedKey.number(bits: 33), ForgedKey.number(bits: 2048)] {
            numbers[1] = exponent
            #expect(failure(.rsa(numbers), in: container) == .keySize, "\(exponent)")
        }
        // Read, but not one that belongs to the other numbers.
        numbers[1] = [0x80, 0, 0, 1]
        #expect(failure(.rsa(numbers), in: container) == (container == .pkcs12 ? .incomplete : .otherKey))
    }

    @Test("RSA keys have two primes, whose sizes limit the other numbers", arguments: Container.allCases)
    func otherNumbers(container: Container) throws {
        let numbers = try ForgedKey.realNumbers()
        #expect(failure(.rsa(numbers + [[3]], version: 1), in: container) == .keyType)
        #expect(failure(.rsa(numbers + [[3]]), in: container) == container.broken)
        #expect(failure(.rsa(Array(numbers.dropLast())), in: container) == container.broken)
        for index in 2..<8 {
            var changed = numbers
            changed[index] = ForgedKey.number(bits: 9000)
            #expect(failure(.rsa(changed), in: container) == container.broken, "\(index)")
        }
        for index in 3...4 {
            var changed = numbers
            changed[index][20] ^= 1
            #expect(failure(.rsa(changed), in: container) == container.broken, "\(index)")
        }
    }

    @Test("EC keys name their curve, which is P-256, P-384 or P-521", arguments: Container.allCases)
    func curves(container: Container) {
        let explicit = ForgedKey.explicitCurve()
        let other = ForgedKey.Name.secp256k1
        for key in [
            ForgedKey.ec(outside: explicit), .ec(outside: explicit, inside: explicit),
            .ec(outside: ForgedKey.Name.p256, inside: explicit), .ec(outside: other, inside: other),
        ] {
            #expect(failure(key, in: container) == .keyType)
        }
        for size in [34, 10_000] {
            let key = ForgedKey.ec(outside: ForgedKey.Name.p256, inside: ForgedKey.Name.p256, size: size)
            #expect(failure(key, in: container) == container.broken, "\(size)")
        }
    }

    @Test("RFC 5915 3: the curves inside and outside of an EC key are the same")
    func differingCurves() {
        let key = ForgedKey.ec(outside: ForgedKey.Name.p256, inside: ForgedKey.Name.p384)
        #expect(failure(key, in: .pkcs8) == .keyType)
        #expect(failure(key, in: .pkcs12) == .keyType)
    }

    @Test("RFC 7468: blocks with a passphrase, and blocks of other kinds of keys, are refused by their label")
    func labels() throws {
        let key = try ForgedKey(OpenSSLSigner.generate(algorithm: .es256))
        for label in ["DSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "ANY PRIVATE KEY"] {
            #expect(failure(pem: ForgedKey.pem(label, key.content)) == .keyType)
        }
        #expect(failure(pem: ForgedKey.pem("ENCRYPTED PRIVATE KEY", key.info)) == .hasPassword)
        let header = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n"
        #expect(failure(pem: ForgedKey.pem(key.label, key.content, header: header)) == .hasPassword)
        #expect(failure(pem: ForgedKey.pem("CERTIFICATE", key.info)) == .malformed)
        #expect(failure(pem: ForgedKey.pem("RSA PRIVATE KEY", key.content)) != nil)
    }

    @Test("Texts of more than 64 KB are refused unread")
    func longText() throws {
        let key = try ForgedKey(OpenSSLSigner.generate(algorithm: .rs256))
        let pem = ForgedKey.pem("PRIVATE KEY", key.info).bytes
        func padded(to count: Int) -> SecretBytes {
            SecretBytes([UInt8](repeating: 0x0A, count: count - pem.count) + pem)
        }
        #expect(failure(pem: padded(to: 65_536)) == nil)
        #expect(failure(pem: padded(to: 65_537)) == .malformed)
    }

    // MARK: certificates

    @Test("RFC 7292: a file has at most 8 certificates of at most 8 KB, with keys of bounded size")
    func certificates() throws {
        let signer = try OpenSSLSigner.generate(algorithm: .es256)
        let own = try signer.selfSignedCertificateDER(
            commonName: "a", notBefore: Self.now, notAfter: Self.now + .seconds(60))
        let key = ForgedPKCS12.bag(key: try ForgedKey(signer))
        func file(_ others: [[UInt8]]) -> [UInt8] {
            ForgedPKCS12.file([key] + ([own] + others).map { ForgedPKCS12.bag(certificate: $0) })
        }
        #expect(failure(pkcs12: file([])) == nil)
        #expect(failure(pkcs12: file([[UInt8]](repeating: own, count: 7))) == nil)
        #expect(failure(pkcs12: file([[UInt8]](repeating: own, count: 8))) == .certificates)
        for certificate in Self.expensive + [
            ForgedPKCS12.certificate(rsaBits: 2048, commonName: String(repeating: "a", count: 8000)), [0x30, 0],
        ] {
            #expect(failure(pkcs12: file([certificate])) == .certificates)
        }
    }

    @Test("RFC 2315 9: a file has no signed parts, whose certificates would be decoded unchecked")
    func signedParts() {
        for file in ForgedPKCS12.signedFiles(ForgedPKCS12.certificate(rsaBits: 2048)) {
            #expect(failure(pkcs12: file) == .malformed)
        }
    }

    @Test("Certificates with expensive keys are refused before they are decoded")
    func expensiveCertificates() throws {
        for certificate in Self.expensive {
            #expect(countersign_openssl_read_certificate(certificate, certificate.count) == nil)
        }
        for algorithm in JWSAlgorithm.allCases {
            let certificate = try OpenSSLSigner.generate(algorithm: algorithm).selfSignedCertificateDER(
                commonName: "a", notBefore: Self.now, notAfter: Self.now + .seconds(60))
            let read = countersign_openssl_read_certificate(certificate, certificate.count)
            #expect(read != nil, "\(algorithm)")
            X509_free(read)
            let short = certificate.dropLast()
            #expect(countersign_openssl_read_certificate(Array(short), short.count) == nil)
        }
    }

    /// Certificates whose keys take long to decode, or to check signatures with.
    private static var expensive: [[UInt8]] {
        let explicit = DER.sequence(ForgedKey.Name.ec, ForgedKey.explicitCurve())
        let domain = DER.sequence(
            DER.integer(ForgedKey.number(bits: 16_000)), DER.integer([7]), DER.integer([2]))
        return [
            ForgedPKCS12.certificate(algorithm: explicit, key: [2, 0] + ForgedKey.number(bits: 656)),
            ForgedPKCS12.certificate(algorithm: DER.sequence(ForgedKey.Name.dsa, domain), key: DER.integer([3])),
            ForgedPKCS12.certificate(rsaBits: 8193),
            ForgedPKCS12.certificate(rsaBits: 2048, exponent: ForgedKey.number(bits: 65)),
        ]
    }

    // MARK: public keys

    @Test("RFC 7518 6.3.1: public RSA keys with a longer modulus or exponent verify nothing")
    func publicKeys() throws {
        let verifier = OpenSSLVerifier()
        let signer = try OpenSSLSigner.generate(algorithm: .rs256)
        let signature = try signer.sign([1])
        guard case .rsa(let n, let e) = signer.publicKey.material else {
            Issue.record("an RSA key was expected")
            return
        }
        #expect(verifier.isUsable(signer.publicKey))
        for (n, e) in [
            (ForgedKey.number(bits: 8193), e), (n, ForgedKey.number(bits: 65)), (n, ForgedKey.number(bits: 2048)),
        ] {
            let key = JWK(material: .rsa(n: n, e: e))
            #expect(!verifier.isUsable(key))
            #expect(!verifier.verify(signature, of: [1], algorithm: .rs256, key: key))
        }
    }
}
