import Foundation
import Glibc
import Synchronization

/// A mail server on 127.0.0.1 that keeps what it is given (RFC 5321), each connection on a thread of its own. It speaks
/// no TLS. Stops accepting when let go.
package final class SMTPSink: Sendable {
    package struct Mail: Sendable, Equatable {
        package let from: String
        package let recipients: [String]
        /// The lines between `DATA` and its end, with CRLF, as they came: dots are still doubled.
        package let rawLines: [String]

        /// The message, with doubled dots undone (RFC 5321 clause 4.5.2).
        package var message: String {
            rawLines.map { ($0.hasPrefix(".") ? String($0.dropFirst()) : $0) + "\r\n" }.joined()
        }
    }

    /// Reply that ends the connection in place of a reply.
    package static let cut = ""
    /// Stands for the greeting in `refuse` and `delay`.
    package static let greeting = "GREETING"

    /// Replies by command that replace the acceptance, each used once.
    private let refusals = Mutex<[String: [String]]>([:])
    private let delays = Mutex<[String: [Double]]>([:])
    private let kept = Mutex<(mails: [Mail], commands: [String])>(([], []))
    private let listener: Int32
    package let port: UInt16
    private let offers: [String]

    package var mails: [Mail] { kept.withLock { $0.mails } }
    /// Every line but those of messages.
    package var commands: [String] { kept.withLock { $0.commands } }
    package var url: String { "smtp://127.0.0.1:\(port)" }

    /// `offers` are the extensions that it names: `AUTH PLAIN`.
    package init(offers: [String] = []) throws {
        self.offers = offers
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw POSIXError(.EMFILE) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self, listener] in
            // The accepting thread closes the descriptor, whose number may then be reused.
            defer { close(listener) }
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                guard let sink = self else {
                    close(client)
                    return
                }
                Thread.detachNewThread {
                    sink.serve(client)
                    close(client)
                }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Answers the next command that begins with `command` with `reply`; `.` stands for the end of the message.
    package func refuse(_ command: String, _ reply: String) {
        refusals.withLock { $0[command, default: []].append(reply) }
    }

    /// Answers the next command that begins with `command` so many seconds later; `.` stands for the end of the message.
    package func delay(_ command: String, by seconds: Double) {
        delays.withLock { $0[command, default: []].append(seconds) }
    }

    private func wait(after line: String) {
        let seconds = delays.withLock { delays -> Double? in
            guard let name = delays.keys.first(where: { line.uppercased().hasPrefix($0) }),
                let seconds = delays[name]?.first
            else { return nil }
            delays[name]?.removeFirst()
            return seconds
        }
        if let seconds { Thread.sleep(forTimeInterval: seconds) }
    }

    private func refusal(of line: String) -> String? {
        refusals.withLock { refusals in
            guard let name = refusals.keys.first(where: { line.uppercased().hasPrefix($0) }),
                let reply = refusals[name]?.first
            else { return nil }
            refusals[name]?.removeFirst()
            return reply
        }
    }

    private func serve(_ client: Int32) {
        var reader = LineReader(descriptor: client)
        func reply(_ text: String) {
            let bytes = Array((text + "\r\n").utf8)
            _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        wait(after: Self.greeting)
        reply(refusal(of: Self.greeting) ?? "220 sink.example ESMTP")
        var from = ""
        var recipients: [String] = []
        while let line = reader.next() {
            kept.withLock { $0.commands.append(line) }
            let command = line.uppercased()
            wait(after: line)
            if let refused = refusal(of: line) {
                if refused == Self.cut { return }
                reply(refused)
            } else if command.hasPrefix("EHLO") {
                for offer in offers.dropLast() { reply("250-\(offer)") }
                reply("250 \(offers.last ?? "8BITMIME")")
            } else if command.hasPrefix("MAIL FROM:") {
                (from, recipients) = (String(line.dropFirst(10)), [])
                reply("250 OK")
            } else if command.hasPrefix("RCPT TO:") {
                recipients.append(String(line.dropFirst(8)))
                reply("250 OK")
            } else if command == "DATA" {
                reply("354 go ahead")
                var lines: [String] = []
                while let line = reader.next(), line != "." { lines.append(line) }
                wait(after: ".")
                if let refused = refusal(of: ".") {
                    if refused == Self.cut { return }
                    reply(refused)
                } else {
                    let mail = Mail(from: from, recipients: recipients, rawLines: lines)
                    kept.withLock { $0.mails.append(mail) }
                    reply("250 kept")
                }
            } else if command == "AUTH PLAIN" {
                reply("334 ")
                if let response = reader.next() { kept.withLock { $0.commands.append(response) } }
                reply("235 welcome")
            } else if command == "QUIT" {
                reply("221 bye")
                return
            } else {
                reply("250 OK")
            }
        }
    }

    /// Writes lines that end in CRLF.
    private struct LineReader {
        let descriptor: Int32
        private var bytes: [UInt8] = []

        init(descriptor: Int32) { self.descriptor = descriptor }

        mutating func next() -> String? {
            while true {
                if let end = bytes.firstRange(of: [0x0D, 0x0A]) {
                    defer { bytes.removeSubrange(..<end.upperBound) }
                    return String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                }
                var buffer = [UInt8](repeating: 0, count: 16_384)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return nil }
                bytes += buffer[..<count]
            }
        }
    }
}
