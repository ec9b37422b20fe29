import HTTPModel

extension CurlTransport {
    /// How a transport connects and what it accepts.
    public struct Configuration: Sendable {
        /// Which authorities may vouch for a server's certificate.
        public enum Trust: Sendable, Equatable {
            /// Those of the operating system.
            case system
            /// Only those in a file of PEM certificates; the file is read for each new connection.
            case file(String)
            /// Only these PEM certificates.
            case pem([UInt8])
        }

        /// The certificate a client shows (mutual TLS), both parts in PEM files; they may be the same file.
        public struct ClientCertificate: Sendable, Equatable {
            public var certificateFile: String
            public var keyFile: String

            public init(certificateFile: String, keyFile: String) {
                self.certificateFile = certificateFile
                self.keyFile = keyFile
            }
        }

        public var trust = Trust.system
        /// Nil connects to any address: `OutgoingTransport` sets it.
        var policy: OutgoingPolicy?
        public var clientCertificate: ClientCertificate?
        /// How long finding and reaching the server may take, TLS included.
        public var connectTimeout: Duration = .seconds(10)
        /// The largest body in bytes that `send` reads. Streams have no such limit.
        public var responseLimit = 4 << 20
        /// How many bytes of a streamed body may wait for their reader before the transfer pauses.
        public var streamHighWater = 256 << 10
        public var userAgent = "Countersign"
        /// The URL of a proxy; nil connects directly, whatever the environment says.
        public var proxy: String?
        /// Ends the text of a failure about an untrusted certificate: what to set so that the right CA is known.
        public var trustAdvice = "Name the CA that signed it in CurlTransport.Configuration.trust."

        public init() {}
    }
}
