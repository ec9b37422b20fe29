import Glibc
import HTTPModel
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import MicroHTTPServer

/// A client that sends exactly the given bytes. Its calls block, so it runs on its own thread (`onThread`): the
/// cooperative pool belongs to the handlers.
final class RawClient: Sendable {
    struct Failure: Error { let what: String }

    let socket: Int32

    /// Connects over the loopback. Reads and writes fail after a minute, which only ends a test that would hang:
    /// suspended handlers wait behind every other test for the cooperative pool.
    init(port: UInt16, from source: String? = nil, receiveBuffer: Int32? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBuffer { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        if let source {
            _ = withUnsafeBytes(of: Self.address(source, 0)) { bytes in
                bind(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
            }
        }
        let connected = withUnsafeBytes(of: Self.address("127.0.0.1", port)) { bytes in
            connect(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
        }
        // `deinit` closes the descriptor. Closing it here too would close another test's descriptor.
        guard connected == 0 else { throw Failure(what: "connect: \(systemError(errno))") }
    }

    /// Connects and sends on a thread of its own.
    static func sending(_ text: String, to port: UInt16, receiveBuffer: Int32? = nil) async throws -> RawClient {
        try await onThread {
            let client = try RawClient(port: port, receiveBuffer: receiveBuffer)
            client.send(text)
            return client
        }
    }

    private static func address(_ text: String, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, text, &address.sin_addr)
        return address
    }

    deinit {
        // The peer hears it now, although a program that another test starts may have a copy of the descriptor until it runs.
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends all bytes, or stops if the peer closed the connection.
    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    socket, buffer.baseAddress.map { $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }

    /// Ends the connection with RST instead of FIN.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        var nothing = sockaddr()
        nothing.sa_family = sa_family_t(AF_UNSPEC)
        connect(socket, &nothing, socklen_t(MemoryLayout<sockaddr>.size))
    }

    func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Reads the next bytes. Empty at the end of the connection.
    func receive() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        let code = errno
        if count < 0, code == EAGAIN || code == EWOULDBLOCK { throw Failure(what: "nothing came within a minute") }
        return count > 0 ? Array(buffer.prefix(count)) : []
    }

    func receive(until isEnough: (String) -> Bool) throws -> String {
        var text = ""
        while !isEnough(text) {
            let part = try receive()
            if part.isEmpty { return text }
            text += String(decoding: part, as: UTF8.self)
        }
        return text
    }

    /// Reads everything until the server closes the connection.
    func receiveAll() throws -> String { try receive { _ in false } }

    /// Reads one answer with a Content-Length.
    func receiveAnswer(hasBody: Bool = true) throws -> Answer {
        var text = ""
        while true {
            if let answer = Answer(text, hasBody: hasBody) { return answer }
            let part = try receive()
            if part.isEmpty { throw Failure(what: "the connection ended after: \(text)") }
            text += String(decoding: part, as: UTF8.self)
        }
    }
}

/// An answer in its wire format.
struct Answer {
    let status: Int
    let head: String
    let body: String

    /// Nil if the answer is incomplete.
    init?(_ text: String, hasBody: Bool = true) {
        let bytes = Array(text.utf8)
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
            return nil
        }
        head = String(decoding: bytes[..<end], as: UTF8.self)
        let rest = bytes[(end + 4)...]
        status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let length = Self.field("content-length", head).flatMap { Int($0) } ?? 0
        guard !hasBody || rest.count >= length else { return nil }
        body = String(decoding: hasBody ? rest.prefix(length) : rest, as: UTF8.self)
    }

    subscript(name: String) -> String? { Self.field(name.lowercased(), head) }

    private static func field(_ name: String, _ head: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == name { return String(parts[1].drop { $0 == " " }) }
        }
        return nil
    }
}

/// A one-time event that tests wait for.
final class Signal: Sendable {
    private struct State {
        var isSet = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    func set() {
        let waiters = state.withLock { state in
            state.isSet = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isSet = state.withLock { state in
                if !state.isSet { state.waiters.append(continuation) }
                return state.isSet
            }
            if isSet { continuation.resume() }
        }
    }
}

/// Waits until its task is cancelled.
func untilCancelled() async {
    let signal = Signal()
    await withTaskCancellationHandler {
        await signal.wait()
    } onCancel: {
        signal.set()
    }
}

final class Recorder: HTTPServerObserver {
    private let state = Mutex<[RequestRecord]>([])
    private let refused = Atomic(0)
    func bodyRefused() { refused.add(1, ordering: .relaxed) }
    var refusedBodies: Int { refused.load(ordering: .relaxed) }
    func requestFinished(_ record: RequestRecord) { state.withLock { $0.append(record) } }
    func acceptFailed(_ reason: String) {}
    var records: [RequestRecord] { state.withLock { $0 } }
}

/// Starts a server on a free port, and stops it after `body`.
func withServer(
    limits change: (inout HTTPLimits) -> Void = { _ in }, tls: TLSIdentity? = nil, recorder: Recorder? = nil,
    threads: Int = 2, proxies: [IPNetwork] = [], largeBodies: @escaping LargeBodyRule = { _ in .taken },
    clientAddress: (@Sendable (Request) -> String)? = nil,
    answerSynchronously: @escaping SynchronousHandler = { _ in nil }, handler: @escaping Handler = echo,
    _ body: (HTTPServer) async throws -> Void
) async throws {
    var limits = HTTPLimits()
    change(&limits)
    let server = try HTTPServer(
        configuration: HTTPServerConfiguration(
            tls: tls, threads: threads, limits: limits, proxies: proxies, largeBodies: largeBodies,
            clientAddress: clientAddress),
        observer: recorder,
        answerSynchronously: answerSynchronously, handler: handler)
    try server.start()
    do {
        try await body(server)
    } catch {
        await server.stop(within: .seconds(1))
        throw error
    }
    await server.stop(within: .seconds(1))
}

/// Answers with the request.
let echo: Handler = { request in
    let text = "\(request.method) \(request.path) \(request.query ?? "-") \(request.body.count)"
    return Response(status: 200, fields: ["Content-Type": "text/plain"], body: .bytes(Array(text.utf8)))
}

/// `#expect(left == right)` for operands that throw: the macro hides a `try` from the closure around it.
func expectEqual<Value: Equatable>(_ left: Value, _ right: Value, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(left == right, sourceLocation: sourceLocation)
}
