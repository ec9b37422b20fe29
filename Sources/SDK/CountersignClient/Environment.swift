public import Foundation
public import HTTPModel
public import JOSE
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

    /// A key says by its kind which algorithm it signs with.
    func systemSigner(pem: Data, keyID: String?) -> (any Signer)? {
        let pem = SecretBytes(Array(pem))
        return [JWSAlgorithm.es256, .es384, .edDSA, .rs256].lazy
            .compactMap { try? OpenSSLSigner(pem: pem, algorithm: $0, keyID: keyID) }.first
    }
#endif

extension CountersignClient {
    /// What the client needs from the world, each behind a port, so that tests can stand in for it.
    public struct Environment: Sendable {
        /// Which authorities may vouch for the server's certificate.
        public enum Trust: Sendable, Equatable {
            /// Those of the operating system.
            case system
            /// Only these certificates, in PEM form: for a server with a CA of its own. Apps on Apple platforms must
            /// also loosen App Transport Security for that host, with `NSExceptionAllowsInsecureHTTPLoads` under
            /// `NSAppTransportSecurity` in the Info.plist: it refuses such a CA whatever is named here. These
            /// certificates go on being required.
            case certificates(pem: Data)
        }

        public var transport: any HTTPClient
        public var verifier: any Verifier
        public var hashing: any Hashing
        public var clock: any PollingClock
        /// What states, nonces and code verifiers are made of.
        public var random: any RandomSource = KernelRandom()

        public init(
            transport: any HTTPClient, verifier: any Verifier, hashing: any Hashing, clock: any PollingClock
        ) {
            self.transport = transport
            self.verifier = verifier
            self.hashing = hashing
            self.clock = clock
        }

        /// The system's: URLSession, CryptoKit and Security on Apple platforms, libcurl and OpenSSL elsewhere.
        /// `trustAdvice` ends the text of an error about a certificate that is not trusted: how the app's user names
        /// the right CA, such as an option.
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

/// The time, and waiting for it. Tests have one that does not wait.
public protocol PollingClock: WallClock {
    /// Returns after `duration`; throws when the task is cancelled before.
    func sleep(for duration: Duration) async throws(CancellationError)
}

struct SystemClock: PollingClock {
    var now: Timestamp { Timestamp(Date()) }

    func sleep(for duration: Duration) async throws(CancellationError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw CancellationError()
        }
    }
}

/// The generator of the standard library, which asks the system's secure one.
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
            // A handshake also fails where a connection is lost, or a server starts.
            case .cannotConnect(let text), .tls(let text), .other(let text): .network(text)
            case .untrusted(let text): .tls(text)
            case .timedOut: .network("no answer in time")
            case .cancelled: .cancelled
            case .tooLarge(let limit): .protocolViolation("the answer is larger than \(limit) bytes")
            }
    }
}

extension Timestamp {
    /// The nearest there is: a date that was stored may be any number.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
