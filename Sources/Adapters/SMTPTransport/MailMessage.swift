import Flows
import Localization
import Primitives

/// A message with a text and its HTML (RFC 5322, RFC 2046 clause 5.1.4). No part of a mail can become a header.
struct MailMessage {
    enum Encoding: String {
        /// For mail servers: ASCII lines of 76 characters.
        case quotedPrintable = "quoted-printable"
        /// Unencoded, for people.
        case eightBit = "8bit"
    }

    let from: MailAddress
    let to: MailAddress
    let finished: FinishedMail
    let date: Timestamp

    func bytes(_ encoding: Encoding) -> [UInt8] {
        let boundary = boundary
        let headers = [
            ("From", Self.mailbox(finished.senderName, from)), ("To", "\(to)"),
            ("Subject", Self.unstructured(finished.subject)), ("Date", Self.date(date)),
            ("Message-ID", "<\(finished.id)@\(from.domain)>"), (BounceReport.idHeader, finished.id),
            ("Content-Language", finished.language.rawValue),
            // RFC 3834: prevents automatic replies.
            ("Auto-Submitted", "auto-generated"), ("MIME-Version", "1.0"),
            // RFC 5322 clause 2.1.1: a line should have at most 78 characters.
            ("Content-Type", "multipart/alternative;\r\n boundary=\"\(boundary)\""),
        ]
        var message = headers.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
        // The last part is the best one.
        for (type, text) in [("plain", finished.text), ("html", finished.html)] {
            message += "--\(boundary)\r\nContent-Type: text/\(type); charset=utf-8\r\n"
            message += "Content-Transfer-Encoding: \(encoding.rawValue)\r\n\r\n"
            for line in Self.lines(text) {
                message += (encoding == .eightBit ? line : Self.quotedPrintable(line)) + "\r\n"
            }
        }
        return Array((message + "--\(boundary)--\r\n").utf8)
    }

    /// No line of a part begins with it: quoted-printable writes `=` only before two digits, and authors of texts do
    /// not know the id.
    private var boundary: String { "=_\(finished.id)" }

    // MARK: headers

    /// A name and an address. The name is in encoded words, or in quotation marks if it is ASCII.
    static func mailbox(_ name: String, _ address: MailAddress) -> String {
        if name.isEmpty { return "\(address)" }
        let encoded = unstructured(name)
        let quoted = encoded.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        let word = encoded.hasPrefix("=?") ? encoded : "\"\(quoted)\""
        let isShort = word.utf8.count + address.description.utf8.count <= 60
        return "\(word)\(isShort ? " " : "\r\n ")<\(address)>"
    }

    /// Short ASCII unchanged, other text in encoded words (RFC 2047 clause 2), each of at most 75 characters on a line
    /// of its own. Control characters become blanks first.
    static func unstructured(_ text: String) -> String {
        let clean = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? " " : $0 }))
        if clean.utf8.count <= 60, clean.utf8.allSatisfy({ $0 < 0x7F }), !clean.contains("=?") { return clean }
        // 39 bytes are 52 characters of Base64: with a header's name, a line has at most 76 (RFC 2047 clause 2). Scalars
        // are never split.
        var words: [String] = [""]
        for scalar in clean.unicodeScalars {
            let next = String(scalar)
            if (words.last?.utf8.count ?? 0) + next.utf8.count > 39 { words.append("") }
            words[words.count - 1] += next
        }
        return words.map { "=?UTF-8?B?\(Base64.encode(Array($0.utf8)))?=" }.joined(separator: "\r\n ")
    }

    /// `Fri, 20 Nov 2026 10:00:00 +0000` (RFC 5322 clause 3.3).
    static func date(_ date: Timestamp) -> String {
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // Parts of `2026-11-20T10:00:00.000Z`.
        let text = date.iso8601
        let day = text.split(separator: "T")[0].split(separator: "-")
        let weekday = weekdays[Int(date.seconds / 86_400 % 7)]
        return "\(weekday), \(day[2]) \(months[(Int(day[1]) ?? 1) - 1]) \(day[0]) \(text.dropFirst(11).prefix(8)) +0000"
    }

    // MARK: text

    /// Lines without line endings of any kind and without terminal control characters.
    static func lines(_ text: String) -> [String] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            String(
                String.UnicodeScalarView(
                    line.unicodeScalars.filter { $0 == "\t" || $0.value >= 0x20 && $0 != "\u{7F}" }))
        }
    }

    /// RFC 2045 clause 6.7, with soft breaks before the 77th character.
    static func quotedPrintable(_ line: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = Array(line.utf8)
        var output: [UInt8] = []
        var width = 0
        for (index, byte) in bytes.enumerated() {
            let isBlank = byte == 0x20 || byte == 0x09
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
            let isLast = index == bytes.count - 1
            // A blank at a line's end would be lost in transit.
            let piece =
                isPlain || isBlank && !isLast
                ? [byte] : [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            if width + piece.count > (isLast ? 76 : 75) {
                output += Array("=\r\n".utf8)
                width = 0
            }
            output += piece
            width += piece.count
        }
        return String(decoding: output, as: UTF8.self)
    }
}
