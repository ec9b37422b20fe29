import Flows

/// Reads replies (RFC 5321 clause 4.2) out of the bytes that a server sent.
struct SMTPReplyReader: Sendable {
    /// Bytes that are no reply.
    struct Unreadable: Error {}

    /// Maximum bytes of a reply. Servers list their extensions in one.
    static let limit = 65_536

    private var bytes: [UInt8] = []

    /// True if the server sent nothing that was not read.
    var isEmpty: Bool { bytes.isEmpty }

    mutating func append(_ more: [UInt8]) { bytes += more }

    /// The next whole reply. Nil if its end did not arrive yet.
    mutating func next() throws(Unreadable) -> MailServerReply? {
        var lines: [String] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            var line = rest[..<end]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            rest = rest[(end + 1)...]
            lines.append(String(decoding: line, as: UTF8.self))
            // A hyphen after the code says that another line follows.
            if line.dropFirst(3).first == UInt8(ascii: "-") { continue }
            guard let reply = MailServerReply(lines) else { throw Unreadable() }
            bytes = Array(rest)
            return reply
        }
        guard bytes.count <= Self.limit else { throw Unreadable() }
        return nil
    }
}
