import Foundation
import HTTPModel
import JOSE
import Primitives
import Synchronization

#if canImport(CryptoKit)
    import ApplePlatform

    private typealias PlatformSigner = AppleSigner
    private typealias StartedTransport = URLSessionTransport

    let platformHashing: any Hashing = AppleHashing()
#else
    import CurlTransport
    import OpenSSLCrypto

    private typealias PlatformSigner = OpenSSLSigner
    private typealias StartedTransport = CurlTransport

    let platformHashing: any Hashing = OpenSSLHashing()

    extension OpenSSLSigner {
        fileprivate convenience init(data: Data, algorithm: JWSAlgorithm) throws {
            try self.init(pkcs8DER: SecretBytes(Array(data)), algorithm: algorithm)
        }

        fileprivate var data: Data { get throws { Data(try exportPKCS8().bytes) } }
    }
#endif

/// Default name of a device: the host name, or on phones the model, such as `iPhone17,3`. `ProcessInfo.hostName` is not
/// used because it accesses the network on Apple platforms, for which the system asks the person's permission.
var platformDeviceName: String {
    var system = utsname()
    guard uname(&system) == 0 else { return "" }
    #if canImport(CryptoKit) && !os(macOS)
        return text(&system.machine)
    #else
        return text(&system.nodename)
    #endif
}

/// The characters of a C array before its zero.
private func text<Characters>(_ characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

/// A private key of the platform's cryptography.
struct PlatformKey: Sendable {
    private let signer: PlatformSigner

    init(generating algorithm: SigningAlgorithm) throws {
        do { signer = try .generate(algorithm: algorithm.jws) } catch {
            throw GuardianError(.failedKeyCreation, cause: error)
        }
    }

    init(data: Data, algorithm: SigningAlgorithm) throws {
        do { signer = try PlatformSigner(data: data, algorithm: algorithm.jws) } catch {
            throw GuardianError(.invalidKey, cause: error)
        }
    }

    var data: Data { get throws { try signer.data } }
    var publicKey: VerificationKey { VerificationKey(signer.publicKey) }
    func signature(for message: Data) throws -> Data { Data(try signer.sign(Array(message))) }
}

/// The platform's HTTP client, created with the first request so that a default configuration costs nothing.
final class PlatformTransport: HTTPClient {
    private let certificateAuthorityFile: String?
    private let trustAdvice: String
    private let started = Mutex<StartedTransport?>(nil)

    init(certificateAuthorityFile: String?, trustAdvice: String) {
        self.certificateAuthorityFile = certificateAuthorityFile
        self.trustAdvice = trustAdvice
    }

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        try await transport().send(request)
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        try await transport().stream(request)
    }

    private func transport() throws(HTTPClientError) -> StartedTransport {
        try started.withLock { (started) throws(HTTPClientError) in
            if let started { return started }
            var configuration = StartedTransport.Configuration()
            configuration.trustAdvice = trustAdvice
            if let certificateAuthorityFile { configuration.trust = .file(certificateAuthorityFile) }
            let transport = try StartedTransport(configuration)
            started = transport
            return transport
        }
    }
}
