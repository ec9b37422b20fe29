import HTTPModel
package import Primitives

extension CurlTransport {
    /// Settings for connections.
    package struct Configuration: Sendable {
        /// Certificate authorities trusted for servers' certificates.
        package enum Trust: Sendable, Equatable {
            /// The operating system's authorities.
            case system
            /// Only those in a file of PEM certificates, which is read for each new connection.
            case file(String)
            /// Only these PEM certificates.
            case pem([UInt8])
        }

        /// The client's certificate for mutual TLS and its key.
        package enum ClientCertificate: Sendable {
            /// PEM files, which may be the same file.
            case files(certificate: String, key: String)
            /// PEM texts: the certificate with its intermediates, and its key.
            case pem(chain: [UInt8], key: SecretBytes)
        }

        package var trust = Trust.system
        /// Nil allows every address. `OutgoingTransport` sets a policy.
        var policy: OutgoingPolicy?
        package var clientCertificate: ClientCertificate?
        /// True if requests to one server wait for its connection and share it (HTTP/2), instead of opening others. One
        /// request leads while the connection is not proven (`LeadingRequest`).
        package var sharesConnections = false
        /// True if only an answer that accepts the client's credentials proves a shared connection, and false if any does.
        package var leadsUntilSuccess = false
        /// Maximum time for finding and reaching the server, including the TLS handshake.
        package var connectTimeout: Duration = .seconds(10)
        /// Maximum size in bytes of a body that `send` reads. Streams have no such limit.
        package var responseLimit = 4 << 20
        /// Maximum number of unread bytes of a streamed body before the transfer pauses.
        package var streamHighWater = 256 << 10
        package var userAgent = "Countersign"
        /// URL of a proxy. Nil connects directly, regardless of environment variables.
        package var proxy: String?
        /// Added to errors about certificates that are not trusted. It should say how to name the right CA.
        package var trustAdvice = "Name the CA that signed it in CurlTransport.Configuration.trust."

        package init() {}
    }
}
