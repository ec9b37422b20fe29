#if !canImport(CryptoKit)
    import CurlTransport
    import Foundation
    import HTTPModel
    import JOSE
    import OpenSSLCrypto
    import Primitives
    import Synchronization

    struct PlatformHashing: Hashing {
        func hash(_ algorithm: HashAlgorithm, _ message: [UInt8]) -> [UInt8] {
            OpenSSLHashing().hash(algorithm, message)
        }

        func hmac(_ algorithm: HashAlgorithm, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
            OpenSSLHashing().hmac(algorithm, key: key, message)
        }
    }

    struct PlatformP256Key: Sendable {
        private let signer: OpenSSLSigner

        init() throws { signer = try OpenSSLSigner.generate(algorithm: .es256) }

        init(data: Data) throws {
            signer = try OpenSSLSigner(pkcs8DER: SecretBytes(Array(data)), algorithm: .es256)
        }

        var data: Data { get throws { Data(try signer.exportPKCS8().bytes) } }
        var publicKey: JWK { get throws { signer.publicKey } }
        func signature(for message: Data) throws -> Data { Data(try signer.sign(Array(message))) }
    }

    struct PlatformRSAKey: Sendable {
        private let signer: OpenSSLSigner

        init() throws { signer = try OpenSSLSigner.generate(algorithm: .rs256) }

        init(data: Data) throws {
            signer = try OpenSSLSigner(pkcs8DER: SecretBytes(Array(data)), algorithm: .rs256)
        }

        var data: Data { get throws { Data(try signer.exportPKCS8().bytes) } }
        var publicKey: JWK { get throws { signer.publicKey } }
        func signature(for message: Data) throws -> Data { Data(try signer.sign(Array(message))) }
    }

    /// libcurl, whose thread starts with the first request.
    final class PlatformTransport: HTTPClient {
        private let certificateAuthorityFile: String?
        private let started = Mutex<CurlTransport?>(nil)

        init(certificateAuthorityFile: String?) { self.certificateAuthorityFile = certificateAuthorityFile }

        func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
            try await transport().send(request)
        }

        func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
            try await transport().stream(request)
        }

        private func transport() throws(HTTPClientError) -> CurlTransport {
            try started.withLock { (started) throws(HTTPClientError) in
                if let started { return started }
                var configuration = CurlTransport.Configuration()
                configuration.userAgent = "Countersign-Guardian"
                configuration.trustAdvice = "Name the CA in GuardianConfiguration(certificateAuthorityFile:)."
                if let certificateAuthorityFile { configuration.trust = .file(certificateAuthorityFile) }
                let transport = try CurlTransport(configuration)
                started = transport
                return transport
            }
        }
    }
#endif
