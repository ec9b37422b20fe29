import COpenSSL
package import JOSE
@testable import OpenSSLCrypto
package import Primitives
import TestSupport

/// A certificate authority for tests.
package struct TestAuthority {
    /// A certificate and its key.
    package struct Identity: Sendable {
        package let der: [UInt8]
        package let pem: String
        package let keyPEM: SecretBytes
    }

    private let key: KeyHandle
    private let certificate: Certificate

    /// The authority's certificate, for `ClientAuthorities`.
    package let pem: [UInt8]
    package let der: [UInt8]

    package init(
        _ name: String = "Test authority", from start: Timestamp = Samples.start - .seconds(3600),
        for lifetime: Duration = .seconds(36_000_000)
    ) throws {
        key = try KeyHandle(generating: .es256, rsaBits: 2048)
        certificate = try Certificate.make(
            CertificateContent(
                commonName: name, notBefore: start, notAfter: start + lifetime,
                extensions: [
                    (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                ]), for: key)
        pem = try certificate.pem()
        der = try certificate.der()
    }

    /// A client's certificate.
    /// - Parameters:
    ///   - names: in OpenSSL's form, such as `DNS:agent.example,URI:urn:agent`.
    ///   - usage: `clientAuth` or another purpose. Nil means any.
    package func identity(
        _ commonName: String = "agent", names: String? = nil, usage: String? = "clientAuth",
        algorithm: JWSAlgorithm = .es256, from start: Timestamp = Samples.start - .seconds(60),
        for lifetime: Duration = .seconds(3_600_000)
    ) throws -> Identity {
        try Self.identity(
            commonName, names: names, usage: usage, algorithm: algorithm, from: start, for: lifetime,
            issuer: (certificate, key))
    }

    /// A certificate that its own key signed.
    package static func selfSigned(
        _ commonName: String = "agent", names: String? = nil, algorithm: JWSAlgorithm = .es256,
        from start: Timestamp = Samples.start - .seconds(60), for lifetime: Duration = .seconds(3_600_000)
    ) throws -> Identity {
        try identity(
            commonName, names: names, usage: nil, algorithm: algorithm, from: start, for: lifetime, issuer: nil)
    }

    private static func identity(
        _ commonName: String, names: String?, usage: String?, algorithm: JWSAlgorithm, from start: Timestamp,
        for lifetime: Duration, issuer: (certificate: Certificate, key: KeyHandle)?
    ) throws -> Identity {
        let key = try KeyHandle(generating: algorithm, rsaBits: 2048)
        var extensions: [(id: Int32, value: String)] = []
        if let names { extensions.append((NID_subject_alt_name, names)) }
        if let usage { extensions.append((NID_ext_key_usage, usage)) }
        let content = CertificateContent(
            commonName: commonName, notBefore: start, notAfter: start + lifetime, extensions: extensions)
        let certificate = try Certificate.make(
            content, for: key, issuer: issuer, algorithm: issuer == nil && algorithm == .edDSA ? .ed25519 : .sha256)
        return Identity(
            der: try certificate.der(), pem: String(decoding: try certificate.pem(), as: UTF8.self),
            keyPEM: try key.pkcs8PEM())
    }
}
