package import CurlTransport
import Delivery
import Foundation
package import HTTPModel
package import JOSE
import MicroHTTPServer
import OpenSSLCrypto
package import Primitives
import Synchronization
import TestSupport

/// A push service on the loopback address, over TLS, that speaks RFC 8030 and checks RFC 8292.
package final class PushServiceStandIn: Sendable {
    package typealias Answer = @Sendable (Request) async -> Response

    /// Certificate of its authority, PEM.
    package let authority: [UInt8]
    private let server: HTTPServer
    private let state: State

    private final class State: Sendable {
        struct Waiting {
            let count: Int
            let continuation: CheckedContinuation<Void, Never>
        }

        let answer: Mutex<Answer>
        let requests = Mutex<(all: [Request], waiting: [Waiting])>(([], []))

        init(_ answer: @escaping Answer) { self.answer = Mutex(answer) }

        func take(_ request: Request) {
            let met = requests.withLock { requests in
                requests.all.append(request)
                let count = requests.all.count
                defer { requests.waiting.removeAll { $0.count <= count } }
                return requests.waiting.filter { $0.count <= count }
            }
            for waiting in met { waiting.continuation.resume() }
        }
    }

    package static let created: Answer = { _ in
        Response(status: 201, fields: ["Location": "/message/1"], body: .bytes([]))
    }

    /// `port` 0 lets the system choose.
    package init(
        port: UInt16 = 0, answer: @escaping Answer = PushServiceStandIn.created
    ) throws {
        let state = State(answer)
        self.state = state
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let authority = try TestAuthority(from: now - .seconds(3600))
        let identity = try authority.identity(
            "localhost", names: "DNS:localhost,IP:127.0.0.1", usage: "serverAuth", from: now - .seconds(60))
        self.authority = authority.pem
        server = try HTTPServer(
            configuration: HTTPServerConfiguration(
                port: port,
                tls: TLSIdentity(
                    certificateChainPEM: identity.pem,
                    privateKeyPEM: String(decoding: identity.keyPEM.bytes, as: UTF8.self)),
                threads: 1),
            handler: { request in
                state.take(request)
                return await state.answer.withLock(\.self)(request)
            })
        try server.start()
    }

    package func stop() async { await server.stop(within: .seconds(1)) }

    /// Audience of tokens for this service.
    package var origin: String { "https://localhost:\(server.port)" }

    package var requests: [Request] { state.requests.withLock { $0.all } }

    /// Changes the answer to later messages.
    package func answer(_ answer: @escaping Answer) { state.answer.withLock { $0 = answer } }

    package func awaitRequests(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.requests.withLock { requests in
                if requests.all.count < count {
                    requests.waiting.append(State.Waiting(count: count, continuation: continuation))
                }
                return requests.all.count >= count
            }
            if isMet { continuation.resume() }
        }
    }

    package func subscriber(_ name: String = "one") throws -> PushSubscriber {
        try PushSubscriber("\(origin)/push/\(name)")
    }

    /// A transport that trusts this service.
    package func transport(
        allowing networks: [IPNetwork] = OutgoingPolicy.loopback
    ) throws -> OutgoingTransport {
        var configuration = CurlTransport.Configuration()
        configuration.trust = .pem(authority)
        configuration.responseLimit = WebPushProvider.answerLimit
        return try OutgoingTransport(OutgoingPolicy(allowing: networks), configuration)
    }

    /// Claims of the request's token, which the key in the same field signed (RFC 8292 clause 3). `key` is the
    /// uncompressed point to which the subscription is bound (clause 4).
    package func claims(of request: Request, key: [UInt8], now: Timestamp) throws -> Claims {
        let field = try request.fields["Authorization"].orThrow("no Authorization")
        guard field.hasPrefix("vapid ") else { throw Unexpected("another scheme: \(field)") }
        var parameters: [String: String] = [:]
        for part in field.dropFirst(6).split(separator: ",") {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { throw Unexpected("no parameter: \(part)") }
            parameters[String(pair[0])] = String(pair[1])
        }
        let token = try parameters["t"].orThrow("no t")
        guard parameters["k"] == Base64URL.encode(key) else { throw Unexpected("k is another key") }
        let jws = try JWS(parsing: token)
        let payload = try jws.verified(
            by: JWK(material: .ec(curve: .p256, x: Array(key[1...32]), y: Array(key[33...]))), allowed: [.es256],
            using: OpenSSLVerifier())
        let claims = try Claims(payload: payload).orThrow("no claims")
        guard claims.audience == [origin] else { throw Unexpected("aud is \(claims.audience)") }
        guard let expires = claims.expires, expires > now, expires <= now + .seconds(86_400) else {
            throw Unexpected("exp is \(String(describing: claims.expires))")
        }
        guard jws.type == "JWT", claims.subject?.hasPrefix("https://") == true else { throw Unexpected("typ or sub") }
        return claims
    }
}
