import HTTPModel

extension CurlTransport {
    /// How a transport connects and what it accepts.
    package struct Configuration: Sendable {
        /// Which authorities may vouch for a server's certificate.
        package enum Trust: Sendable, Equatable {
            /// Those of the operating system.
            case system
            /// Only those in a file of PEM certificates; the file is read for each new connection.
            case file(String)
            /// Only these PEM certificates.
            case pem([UInt8])
        }

        /// The certificate a client shows (mutual TLS), both parts in PEM files; they may be the same file.
        package struct ClientCertificate: Sendable, Equatable {
            package var certificateFile: String
            package var keyFile: String

            package init(certificateFile: String, keyFile: String) {
                self.certificateFile = certificateFile
                self.keyFile = keyFile
            }
        }

        package var trust = Trust.system
        /// Nil connects to any address: `OutgoingTransport` sets it.
        var policy: OutgoingPolicy?
        package var clientCertificate: ClientCertificate?
        /// How long finding and reaching the server may take, TLS included.
        package var connectTimeout: Duration = .seconds(10)
        /// The largest body in bytes that `send` reads. Streams have no such limit.
        package var responseLimit = 4 << 20
        /// How many bytes of a streamed body may wait for their reader before the transfer pauses.
        package var streamHighWater = 256 << 10
        package var userAgent = "Countersign"
        /// The URL of a proxy; nil connects directly, whatever the environment says.
        package var proxy: String?
        /// Ends the text of a failure about an untrusted certificate: what to set so that the right CA is known.
        package var trustAdvice = "Name the CA that signed it in CurlTransport.Configuration.trust."

        package init() {}
    }
}
