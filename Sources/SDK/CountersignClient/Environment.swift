public import HTTPModel
public import JOSE
public import PlatformFoundation
public import Primitives

#if canImport(CryptoKit)
    import ApplePlatform

    private typealias SystemTransport = URLSessionTransport
    private typealias SystemVerifier = AppleVerifier
    private typealias SystemHashing = AppleHashing

    func systemSigner(pem: Data, keyID: String?) -> (any Signer)? {
        try? AppleSigner(pem: String(decoding: pem, as: UTF8.self), keyID: keyID)
    }
#else
    import CurlTransport
    import OpenSSLCrypto

    private typealias SystemTransport = CurlTransport
    private typealias SystemVerifier = OpenSSLVerifier
    private typealias SystemHashing = OpenSSLHashing

    /// Tries each algorithm, because the kind of the key determines it.
    func systemSigner(pem: Data, keyID: String?) -> (any Signer)? {
        let pem = SecretBytes(Array(pem))
        return [JWSAlgorithm.es256, .es384, .edDSA, .rs256].lazy
            .compactMap { try? OpenSSLSigner(pem: pem, algorithm: $0, keyID: keyID) }.first
    }
#endif

/// The system's cryptography, for work without a connection.
let systemCryptography: (verifier: any Verifier, hashing: any Hashing) = (SystemVerifier(), SystemHashing())

extension CountersignClient {
    /// The client's dependencies, each behind a protocol so that tests can replace them.
    public struct Environment: Sendable {
        /// Certificate authorities trusted for the server's certificate.
        public enum Trust: Sendable, Equatable {
            /// The operating system's authorities.
            case system
            /// Only these certificates in PEM, for a server with its own CA. App Transport Security refuses such a CA,
            /// so apps on Apple platforms must also set `NSExceptionAllowsInsecureHTTPLoads` for that host under
            /// `NSAppTransportSecurity` in the Info.plist. These certificates are still required then.
            case certificates(pem: Data)
        }

        /// Sends all requests.
        public var transport: any HTTPClient
        /// Verifies signatures of tokens.
        public var verifier: any Verifier
        /// Hashes for PKCE, `at_hash` and bound tokens.
        public var hashing: any Hashing
        /// The time of all checks and pauses.
        public var clock: any PollingClock
        /// Source of states, nonces and code verifiers.
        public var random: any RandomSource = KernelRandom()

        public init(transport: any HTTPClient, verifier: any Verifier, hashing: any Hashing, clock: any PollingClock) {
            self.transport = transport
            self.verifier = verifier
            self.hashing = hashing
            self.clock = clock
        }

        /// The system's implementations: URLSession, CryptoKit and Security on Apple platforms, libcurl and OpenSSL
        /// elsewhere. `trustAdvice` is added to errors about certificates that are not trusted. It should tell the
        /// app's user how to name the right CA.
        public static func system(
            trust: Trust = .system,
            trustAdvice: String = "Name its CA in CountersignClient.Environment.Trust.certificates."
        ) throws(CountersignError) -> Environment {
            var configuration = SystemTransport.Configuration()
            configuration.trustAdvice = trustAdvice
            if case .certificates(let pem) = trust { configuration.trust = .pem(Array(pem)) }
            do throws(HTTPClientError) {
                return Environment(
                    transport: try SystemTransport(configuration), verifier: SystemVerifier(), hashing: SystemHashing(),
                    clock: SystemClock())
            } catch {
                throw CountersignError(error)
            }
        }
    }
}

/// A clock that can wait. Tests have one that does not wait.
public protocol PollingClock: WallClock {
    /// Returns after `duration`. Throws if the task is cancelled earlier.
    func sleep(for duration: Duration) async throws(CancellationError)
}

struct SystemClock: PollingClock {
    var now: Timestamp { Timestamp(Date()) }

    func sleep(for duration: Duration) async throws(CancellationError) {
        do { try await Task.sleep(for: duration) } catch { throw CancellationError() }
    }
}

/// Random bytes from the standard library, which uses the system's secure generator.
struct KernelRandom: RandomSource {
    func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}

extension CountersignError {
    init(_ failure: HTTPClientError) {
        self =
            switch failure {
            case .invalidURL(let text): .invalidRequest(text)
            // A handshake also fails if the connection is lost or the server is starting.
            case .cannotConnect(let text), .tls(let text), .other(let text): .network(text)
            case .untrusted(let text): .tls(text)
            case .timedOut: .network("the server did not answer in time")
            case .cancelled: .cancelled
            case .tooLarge(let limit): .protocolViolation("the response is larger than \(limit) bytes")
            }
    }
}

extension Timestamp {
    /// The nearest representable time, since a stored date may be any number.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
