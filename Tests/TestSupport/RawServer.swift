import Foundation
import Glibc
import Synchronization

/// A socket server on 127.0.0.1 that sends exactly the bytes of a test, each connection on a thread of
/// its own. It stops accepting on deinit.
package final class RawServer: Sendable {
    package let port: UInt16
    private let listener: Int32
    private let connectionCount = Atomic(0)

    /// Number of connections opened so far.
    package var connections: Int { connectionCount.load(ordering: .relaxed) }

    package init(_ handle: @escaping @Sendable (RawConnection) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw POSIXError(.EMFILE) }
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 512) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard status else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                // The descriptor stays this thread's until here: closed elsewhere, its number could already be another
                // server's.
                guard client >= 0 else {
                    close(listener)
                    return
                }
                self?.connectionCount.add(1, ordering: .relaxed)
                Thread.detachNewThread {
                    let connection = RawConnection(descriptor: client)
                    handle(connection)
                    close(client)
                }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    package func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }
}

package struct RawConnection {
    package let descriptor: Int32

    /// Reads one request. Nil means that the peer closed.
    package func readRequest() -> (head: String, body: [UInt8])? {
        var bytes: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = bytes.firstRange(of: end) {
                let head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self)
                var length = 0
                for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
                    length = Int(line.split(separator: ":")[1].filter { $0 != " " }) ?? 0
                }
                if bytes.count - range.upperBound >= length { return (head, Array(bytes[range.upperBound...])) }
            }
            guard let more = read() else { return nil }
            bytes.append(contentsOf: more)
        }
    }

    /// Nil means the end or a broken connection.
    package func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    package func write(_ text: String) { write(Array(text.utf8)) }

    package func write(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Writes until the peer accepts no more for `patience` milliseconds. Returns the number of bytes written.
    package func writeUntilStalled(_ bytes: [UInt8], patience: Int32) -> Int {
        var sent = 0
        while sent < bytes.count {
            var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&watched, 1, patience) > 0 else { return sent }
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, flags | Int32(MSG_DONTWAIT))
            }
            guard count > 0 else { return sent }
            sent += count
        }
        return sent
    }

    /// Waits until the peer closes the connection.
    package func waitForClose() { while read() != nil {} }

    private var flags: Int32 { Int32(MSG_NOSIGNAL) }
}

/// An event that a server's thread signals once and a test awaits.
package struct Signal<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    package init() { (stream, continuation) = AsyncStream.makeStream() }

    package func send(_ value: Value) { continuation.yield(value) }

    package func wait() async -> Value? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next()
    }
}
