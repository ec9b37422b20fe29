import Workbench
import Glibc
import Load
import Synchronization
import Threads

/// A mail server on this machine that accepts every mail and notes the time at which it had the whole.
final class MailReceiver: Sendable {
    let url: String
    private let listener: Int32
    private let receipts = Mutex((count: 0, last: UInt64(0)))

    init() throws {
        let port = try freePort()
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        address.sin_port = port.bigEndian
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(descriptor, 64) == 0
            }
        }
        guard isListening else { throw Failure("the mail server cannot listen", errno: errno) }
        listener = descriptor
        url = "smtp://127.0.0.1:\(port)"
        try SystemThread.detach { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                var flag: Int32 = 1
                setsockopt(
                    client, Int32(IPPROTO_TCP), TCP_NODELAY, &flag, socklen_t(MemoryLayout<Int32>.size))
                try? SystemThread.detach { [self] in
                    serve(client)
                    close(client)
                }
            }
        }
    }

    /// Stops accepting.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    var count: Int { receipts.withLock { $0.count } }

    /// Time of the receipt with which there are `count`.
    func awaitReceipts(_ count: Int, within limit: Duration = .seconds(60)) async throws -> UInt64 {
        let end = ContinuousClock.now + limit
        while true {
            let (received, last) = receipts.withLock(\.self)
            if received >= count { return last }
            guard ContinuousClock.now < end else { throw Failure("the mail server got \(received) of \(count) mails") }
            try await Task.sleep(for: .microseconds(100))
        }
    }

    private func serve(_ client: Int32) {
        func reply(_ text: String) {
            let bytes = Array("\(text)\r\n".utf8)
            _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        reply("220 bench ESMTP")
        var (pending, isData) = ([UInt8](), false)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let size = recv(client, &buffer, buffer.count, 0), size > 0 {
            pending += buffer[..<size]
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = pending[..<end]
                defer { pending.removeFirst(end + 1) }
                if isData {
                    guard line.elementsEqual(".\r".utf8) else { continue }
                    isData = false
                    let now = MonotonicClock.now
                    receipts.withLock { $0 = ($0.count + 1, now) }
                    reply("250 kept")
                } else if line.starts(with: "DATA".utf8) {
                    isData = true
                    reply("354 go on")
                } else {
                    reply("250 OK")
                }
            }
        }
    }
}
