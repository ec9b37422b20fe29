import Glibc
package import HTTPModel
package import Primitives

/// Addresses, TLS and limits of a server.
package struct HTTPServerConfiguration: Sendable {
    /// The IP address to listen on: `127.0.0.1`, `0.0.0.0`, `::1`, or `::` for every address of both families.
    package var address: String
    /// The TCP port, `0...65535`. 0 lets the system choose; `HTTPServer.port` has the result.
    package var port: UInt16
    /// The server's certificate. Nil serves plain HTTP.
    package var tls: TLSIdentity?
    /// Asks clients for an optional certificate in the TLS handshake, for `Request.clientCertificate`. Browsers then
    /// ask their users to choose one.
    package var requestsClientCertificates: Bool
    /// Event threads, `1...256`. Nil means one per processor.
    package var threads: Int?
    package var limits: HTTPLimits
    /// Peers that pass on the requests of others. `HTTPLimits.connectionsPerAddress` does not count their connections.
    package var proxies: [IPNetwork]
    /// Decides about each body over `HTTPLimits.smallBodyBytes` by the request's head, before the body is read. Runs on
    /// event threads.
    package var largeBodies: LargeBodyRule
    /// Writes the answers to requests that never reach a handler.
    package var renderRefusal: RefusalRenderer
    /// Finds the client of a request that a proxy passed on, for `RequestRecord`. Runs on event threads, for every
    /// request.
    package var clientAddress: (@Sendable (Request) -> String)?

    /// Gets the request's id and as much of its head as was read.
    package typealias RefusalRenderer = @Sendable (HTTPRefusal, Request) -> Response

    package init(
        address: String = "127.0.0.1", port: UInt16 = 0, tls: TLSIdentity? = nil,
        requestsClientCertificates: Bool = false, threads: Int? = nil, limits: HTTPLimits = HTTPLimits(),
        proxies: [IPNetwork] = [],
        largeBodies: @escaping LargeBodyRule = { _ in .taken },
        renderRefusal: @escaping RefusalRenderer = { refusal, _ in
            Response(
                status: refusal.status, fields: ["Content-Type": "text/plain"],
                body: .bytes(Array("\(refusal.description)\n".utf8)))
        },
        clientAddress: (@Sendable (Request) -> String)? = nil
    ) {
        self.address = address
        self.port = port
        self.tls = tls
        self.requestsClientCertificates = requestsClientCertificates
        self.threads = threads
        self.limits = limits
        self.proxies = proxies
        self.largeBodies = largeBodies
        self.renderRefusal = renderRefusal
        self.clientAddress = clientAddress
    }
}

/// A certificate and its key, for TLS 1.2 and 1.3 only.
package struct TLSIdentity: Sendable, Equatable {
    /// The server's certificate followed by its intermediates, PEM.
    package var certificateChainPEM: String
    /// The unencrypted private key of the first certificate, PEM.
    package var privateKeyPEM: String

    package init(certificateChainPEM: String, privateKeyPEM: String) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
    }
}

/// Limits for one client. `HTTPServer.init` throws for a value outside its range.
package struct HTTPLimits: Sendable {
    /// Bytes of a request's head, from the method to the blank line: `1_024...262_144`, default 16,384. A larger head
    /// is answered 431, and so is a slightly smaller one that is mostly cookies, which are stored twice. A connection
    /// holds about 12 KiB above this while it is open.
    package var headBytes = 16_384
    /// Bytes of the request target: `256...65_536`, default 8,192. A longer one is answered 414.
    package var targetBytes = 8_192
    /// Bytes of a request's body: `0...67_108_864`, default 1,048,576. A larger one is answered 413.
    package var bodyBytes = 1_048_576
    /// Bytes of a body that is accepted from any client: `0...67_108_864`, default 65,536.
    /// `HTTPServerConfiguration.largeBodies` decides about larger ones.
    package var smallBodyBytes = 65_536
    /// Bytes of all bodies together that are incomplete or unanswered: `0...68_719_476_736`, default 67,108,864. The
    /// first 8,192 bytes of each body do not count, so that small requests always get in. A body without room is
    /// answered 503.
    package var bodyBytesInAll = 67_108_864
    /// Open connections in total: `1...1_000_000`, default 10,000. Connections beyond the limit are closed at once. Of the
    /// last eighth of the places, an address with more than a 64th of all connections gets none (`ConnectionTable`).
    package var connections = 10_000
    /// Open connections per address (IPv6: per /64 network): `1...1_000_000`, default 1,000. Connections beyond the
    /// limit are closed at once. Those of `HTTPServerConfiguration.proxies` count in total alone.
    package var connectionsPerAddress = 1_000
    /// Maximum silence between requests, and maximum time in which a client takes nothing of an answer: `1...3_600`
    /// whole seconds, default 60 s. Then the connection is closed.
    package var idleTimeout: Duration = .seconds(60)
    /// Maximum time until a new connection's first head is complete, including the TLS handshake: 10 ms to 1 h, default
    /// 10 s. On a kept connection it starts after the idle timeout. Then the connection is closed.
    package var headDeadline: Duration = .seconds(10)
    /// Maximum time for a body after its head: 10 ms to 1 h, default 30 s. Then the connection is closed.
    package var bodyDeadline: Duration = .seconds(30)
    /// Maximum time of a handler, and then of sending the answer: 10 ms to 1 h, default 120 s. A handler beyond it is
    /// cancelled and the request answered 503. Streams are exempt.
    package var exchangeDeadline: Duration = .seconds(120)
    /// Bytes of a stream that may wait for a slow client: `1_024...67_108_864`, default 262,144. A client further
    /// behind is disconnected. One element of any size is accepted if nothing else waits.
    package var streamBufferBytes = 262_144

    /// Bytes beyond a body's limit that are read and discarded, so that the client reads the answer.
    static let discardedBytes = 1_048_576

    package init() {}

    func validate() throws(HTTPServerError) {
        try Self.check("headBytes", headBytes, 1_024...262_144)
        try Self.check("targetBytes", targetBytes, 256...65_536)
        try Self.check("bodyBytes", bodyBytes, 0...67_108_864)
        try Self.check("smallBodyBytes", smallBodyBytes, 0...67_108_864)
        try Self.check("bodyBytesInAll", bodyBytesInAll, 0...68_719_476_736)
        try Self.check("connections", connections, 1...1_000_000)
        try Self.check("connectionsPerAddress", connectionsPerAddress, 1...1_000_000)
        try Self.check("idleTimeout", idleTimeout, .seconds(1) ... .seconds(3_600))
        try Self.check("headDeadline", headDeadline, .milliseconds(10) ... .seconds(3_600))
        try Self.check("bodyDeadline", bodyDeadline, .milliseconds(10) ... .seconds(3_600))
        try Self.check("exchangeDeadline", exchangeDeadline, .milliseconds(10) ... .seconds(3_600))
        try Self.check("streamBufferBytes", streamBufferBytes, 1_024...67_108_864)
    }

    static func check<Value: Comparable>(
        _ name: String, _ value: Value, _ range: ClosedRange<Value>
    ) throws(HTTPServerError) {
        guard range.contains(value) else {
            throw .invalidConfiguration("\(name) is \(value); allowed are \(range.lowerBound) to \(range.upperBound)")
        }
    }
}

/// Reason why a server did not start. The text names the cause and holds no secret.
package enum HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    case invalidConfiguration(String)
    /// The address and port cannot be used, with the system's reason (errno).
    case cannotListen(String, reason: Int32)
    case cannotStart(String)
    /// The certificate or its key.
    case badCertificate(String)

    package var description: String {
        switch self {
        case .invalidConfiguration(let text): "invalid HTTP configuration: \(text)"
        case .cannotListen(let place, let reason): "cannot listen: \(place): \(systemError(reason))"
        case .cannotStart(let text): "cannot start the HTTP server: \(text)"
        case .badCertificate(let text): "the TLS certificate and its key cannot be used: \(text)"
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, at least 1.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = components
        let value = seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return UInt64(max(value, 1))
    }
}
