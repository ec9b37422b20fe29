import Glibc
import TestSupport

/// A TCP connection that sends exactly the bytes of a test.
final class RawConnection: Sendable {
    struct Failure: Error { let what: String }

    private let descriptor: Int32

    static func open(to port: Int, sending text: String = "") async throws -> RawConnection {
        try await onThread {
            let connection = try RawConnection(port: UInt16(port))
            try connection.write(text)
            return connection
        }
    }

    /// Reads and writes time out after 30 seconds.
    private init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafeBytes(of: address) { bytes in
            connect(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
        }
        let number = errno
        guard connected == 0 else { throw Failure(what: "connect: \(String(cString: strerror(number)))") }
    }

    deinit { close(descriptor) }

    func send(_ text: String) async throws { try await onThread { try self.write(text) } }

    /// Reads until the input contains `text` or the peer closes the connection.
    func receive(until text: String? = nil) async throws -> String {
        try await onThread {
            var received: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let soFar = String(decoding: received, as: UTF8.self)
                if let text, soFar.contains(text) { return soFar }
                let count = recv(self.descriptor, &buffer, buffer.count, 0)
                let number = errno
                if count == 0 || count < 0 && number == ECONNRESET { return soFar }
                guard count > 0 else { throw Failure(what: "nothing came: \(String(cString: strerror(number)))") }
                received += buffer[..<count]
            }
        }
    }

    private func write(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(what: "the peer takes nothing more") }
            rest = rest.dropFirst(count)
        }
    }
}
