import COpenSSLSeam
import X509

extension KeyFileFailure {
    /// Throws the failure that a reader of the seam returned, unless it returned success.
    static func check(_ outcome: Int32) throws(KeyFileFailure) {
        switch Int(outcome) {
        case COUNTERSIGN_KEY_READ: return
        case COUNTERSIGN_KEY_PASSWORD: throw .hasPassword
        case COUNTERSIGN_KEY_TOO_SLOW: throw .tooSlow
        case COUNTERSIGN_KEY_UNSUPPORTED: throw .unsupported
        case COUNTERSIGN_KEY_INCOMPLETE: throw .incomplete
        case COUNTERSIGN_KEY_TYPE: throw .keyType
        case COUNTERSIGN_KEY_SIZE: throw .keySize
        case COUNTERSIGN_KEY_CERTIFICATES: throw .certificates
        default: throw .malformed
        }
    }

    /// Text for an operator, who can read the file.
    var reason: String {
        switch self {
        case .malformed: "it cannot be read, or its numbers do not belong together"
        case .hasPassword: "it is protected by a passphrase"
        case .tooSlow: "its key derivation has too many iterations"
        case .unsupported: "its cipher or its key is not supported"
        case .incomplete: "a private key and its certificate are required"
        case .keyType: "it is neither RSA with two primes, nor EC with P-256, P-384 or P-521 by name, nor Ed25519"
        case .keySize: "RSA keys have 2048 to 8192 bits, and odd exponents of 2 to 32 bits"
        case .certificates: "its certificates are too many or too large, or have unsupported keys"
        case .otherKey: "it is of another type"
        }
    }
}
