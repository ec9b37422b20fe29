import Glibc
package import HTTPModel

/// Addresses, TLS and limits of a server.
package struct HTTPServerConfiguration: Sendable {
    /// The IP address to listen on: `127.0.0.1`, `0.0.0.0`, `::1`, or `::` for every address of both families.
    package var address: String
    /// The TCP port, 0 to 65535; 0 lets the system choose, and `HTTPServer.port` tells which.
    package var port: UInt16
    /// The certificate to answer with; nil serves plain HTTP.
    package var tls: TLSIdentity?
    /// Asks clients for a certificate in the TLS handshake, which `Request.clientCertificate` then has. They may have
    /// none; browsers ask their users to choose one.
    package var requestsClientCertificates: Bool
    /// Event threads, 1 to 256; nil takes one a processor.
    package var threads: Int?
    package var limits: HTTPLimits
    /// Decides about each body of more than `HTTPLimits.smallBodyBytes`, by the request's head and before the body is
    /// taken. It runs on event threads.
    package var largeBodies: LargeBodyRule
    /// Writes the answer to what never reaches a handler.
    package var renderRefusal: RefusalRenderer
    /// Says for `RequestRecord` whose request it is that a proxy passed on. It runs on event threads, for every
    /// request.
    package var clientAddress: (@Sendable (Request) -> String)?

    /// Gets the path that was asked for, empty if it was not read.
    package typealias RefusalRenderer = @Sendable (HTTPRefusal, _ path: String) -> Response

    package init(
        address: String = "127.0.0.1", port: UInt16 = 0, tls: TLSIdentity? = nil,
        requestsClientCertificates: Bool = false, threads: Int? = nil, limits: HTTPLimits = HTTPLimits(),
        largeBodies: @escaping LargeBodyRule = { _ in .taken },
        renderRefusal: @escaping RefusalRenderer = { refusal, _ in refusal.jsonResponse },
        clientAddress: (@Sendable (Request) -> String)? = nil
    ) {
        self.address = address
        self.port = port
        self.tls = tls
        self.requestsClientCertificates = requestsClientCertificates
        self.threads = threads
        self.limits = limits
        self.largeBodies = largeBodies
        self.renderRefusal = renderRefusal
        self.clientAddress = clientAddress
    }
}

/// A certificate and its key. TLS 1.2 and 1.3 are spoken, nothing older.
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
    /// Bytes of a request's head, from the method to the blank line: 1,024 to 262,144, default 16,384. More is
    /// answered 431, and so is somewhat less where most of it is cookies, which are kept twice. A connection holds about
    /// 12 KiB above this while it is open.
    package var headBytes = 16_384
    /// Bytes of the request target: 256 to 65,536, default 8,192. More is answered 414.
    package var targetBytes = 8_192
    /// Bytes of a request's body: 0 to 67,108,864, default 1,048,576. More is answered 413.
    package var bodyBytes = 1_048_576
    /// Bytes of a body that is taken from anybody: 0 to 67,108,864, default 65,536. About a larger one
    /// `HTTPServerConfiguration.largeBodies` decides.
    package var smallBodyBytes = 65_536
    /// Bytes of all bodies together that wait for their end or for an answer: 0 to 68,719,476,736, default 67,108,864.
    /// The first 8,192 bytes of each body do not count, so that small requests always get in. A body for which there is
    /// no room is answered 503.
    package var bodyBytesInAll = 67_108_864
    /// Open connections in all: 1 to 1,000,000, default 10,000. One more is closed at once.
    package var connections = 10_000
    /// Open connections an address (IPv6: a /64 network): 1 to 1,000,000, default 1,000. One more is closed at once.
    /// Behind a reverse proxy all connections come from its address, whatever it says of its clients.
    package var connectionsPerAddress = 1_000
    /// How long a connection may be silent between requests, and how long a client may take nothing of an answer:
    /// 1 s to 1 h, whole seconds, default 60 s. The connection is closed.
    package var idleTimeout: Duration = .seconds(60)
    /// How long a new connection may take until its first head is complete, TLS handshake included: 10 ms to 1 h,
    /// default 10 s. On a kept connection the count starts after the idle timeout. The connection is closed.
    package var headDeadline: Duration = .seconds(10)
    /// How long a body may take from its head on: 10 ms to 1 h, default 30 s. The connection is closed.
    package var bodyDeadline: Duration = .seconds(30)
    /// How long a handler may hold a request, and then how long the answer may take to be sent: 10 ms to 1 h,
    /// default 120 s. A handler over it is cancelled and the request answered 503. Streams are exempt.
    package var exchangeDeadline: Duration = .seconds(120)
    /// Bytes of a stream that may wait for a client that does not read: 1,024 to 67,108,864, default 262,144. A
    /// client behind by more is disconnected. One element is always taken while nothing else waits.
    package var streamBufferBytes = 262_144

    /// Bytes of a body beyond its limit that are read and thrown away, for clients that can then be told.
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

/// Why a server did not start. The text names the cause and holds no secret.
package enum HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    case invalidConfiguration(String)
    case cannotListen(String)
    case cannotStart(String)
    /// The certificate or its key.
    case badCertificate(String)

    package var description: String {
        switch self {
        case .invalidConfiguration(let text): "invalid HTTP configuration: \(text)"
        case .cannotListen(let text): "cannot listen: \(text)"
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
