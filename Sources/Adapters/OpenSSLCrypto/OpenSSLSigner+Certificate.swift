import COpenSSL
import JOSE
package import Primitives

extension OpenSSLSigner {
    /// Makes a self-signed certificate of this key for the `x5c` of a published key (RFC 7517 clause 4.7), the only
    /// form that some libraries read. Each call has another random serial number, so store the result.
    /// - Parameter commonName: At most 64 characters (X.520).
    package func selfSignedCertificateDER(
        commonName: String, notBefore: Timestamp, notAfter: Timestamp
    ) throws(OpenSSLFailure) -> [UInt8] {
        let content = CertificateContent(
            commonName: commonName, notBefore: notBefore, notAfter: notAfter,
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_subject_key_identifier, "hash"),
            ])
        let method: Certificate.SigningMethod =
            switch algorithm {
            case .rs256, .es256: .sha256
            case .rs384, .es384: .sha384
            case .rs512: .sha512
            case .ps256: .pssSHA256
            case .ps384: .pssSHA384
            case .edDSA: .ed25519
            }
        return try Certificate.make(content, for: key, algorithm: method).der()
    }
}
