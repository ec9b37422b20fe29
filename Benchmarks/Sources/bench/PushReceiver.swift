import Workbench
import HTTPModel
import JOSE
import Load
import MicroHTTPServer
import OpenSSLCrypto
import Primitives
import Synchronization

/// A push service over TLS that accepts every message and notes the time of its receipt.
final class PushReceiver: Sendable {
    /// Certificate that the server has to trust.
    let authorityFile: String
    /// A subscription for any number of phones, as browsers send it.
    let token: String
    private let server: HTTPServer
    private let receipts: Receipts

    private final class Receipts: Sendable {
        private let state = Mutex((count: 0, last: UInt64(0)))

        func add() {
            let now = MonotonicClock.now
            state.withLock { $0 = ($0.count + 1, now) }
        }

        var now: (count: Int, last: UInt64) { state.withLock(\.self) }
    }

    init(folder: String) throws {
        let authority = try LocalCA(folder: "\(folder)/push-ca", now: .current)
        let certificate = try authority.serverCertificate(names: ["localhost"], now: .current)
        authorityFile = authority.certificateFile
        let receipts = Receipts()
        self.receipts = receipts
        server = try HTTPServer(
            configuration: HTTPServerConfiguration(
                tls: TLSIdentity(
                    certificateChainPEM: String(decoding: certificate.certificatePEM, as: UTF8.self),
                    privateKeyPEM: String(decoding: certificate.privateKeyPEM.bytes, as: UTF8.self)),
                threads: 1),
            handler: { _ in
                receipts.add()
                return Response(status: 201, fields: [:], body: .bytes([]))
            })
        try server.start()
        token = Self.subscription(
            "https://localhost:\(server.port)/push/1",
            publicKey: try OpenSSLSigner.generate(algorithm: .es256).publicKey.p256Point ?? [])
    }

    static func subscription(_ endpoint: String, publicKey: [UInt8]) -> String {
        JSONWriter.string([
            "endpoint": .string(endpoint),
            "keys": [
                "p256dh": .string(Base64URL.encode(publicKey)),
                "auth": .string(Base64URL.encode(SystemRandom().bytes(16))),
            ],
        ])
    }

    func stop() async { await server.stop() }

    var count: Int { receipts.now.count }

    /// Time of the receipt with which there are `count`.
    func awaitReceipts(_ count: Int, within limit: Duration = .seconds(60)) async throws -> UInt64 {
        let end = ContinuousClock.now + limit
        while true {
            let (received, last) = receipts.now
            if received >= count { return last }
            guard ContinuousClock.now < end else {
                throw Failure("the push service got \(received) of \(count) messages")
            }
            try await Task.sleep(for: .microseconds(100))
        }
    }
}
