/// A report that a mail could not be delivered (RFC 3464), as a mail server returns it.
package struct BounceReport: Sendable, Equatable {
    /// Maximum bytes of a report. Servers may return the whole mail in it.
    package static let limit = 1 << 20

    /// Left side of the returned mail's `Message-ID`.
    package let id: String
    /// Addresses that the report or the returned mail names as the recipient, without repetition.
    package let addresses: [String]
    /// `failed`, `delayed` and so on, in lower case.
    package let action: String
    /// A status of RFC 3463.
    package let status: String

    /// Nil unless the message reports on a recipient, and has the returned mail's `Message-ID`.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.count <= Self.limit else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let (head, body) = Self.split(lines[...])
        guard let boundary = Self.parameter("boundary", of: Self.field("content-type", in: head) ?? "") else {
            return nil
        }
        var (recipient, returned): ([(name: String, value: String)]?, [(name: String, value: String)]?)
        for part in body.split(whereSeparator: { $0 == "--\(boundary)" || $0 == "--\(boundary)--" }).prefix(8) {
            let (head, content) = Self.split(part)
            let type = (Self.field("content-type", in: head) ?? "").lowercased()
            // The global types are those of mails with addresses in UTF-8 (RFC 6533).
            if type.hasPrefix("message/delivery-status") || type.hasPrefix("message/global-delivery-status") {
                // The first group is about the message, and each other one about a recipient.
                let groups = content.split(whereSeparator: \.isEmpty).map(Self.fields)
                recipient = groups.first { Self.field("action", in: $0) != nil }
            } else if ["message/rfc822", "text/rfc822-headers", "message/global"].contains(where: type.hasPrefix) {
                returned = Self.split(content.drop(while: \.isEmpty)).head
            }
        }
        guard let recipient, let returned, let id = Self.field("message-id", in: returned).flatMap(Self.localPart),
            let status = Self.field("status", in: recipient)?.split(separator: " ").first
        else { return nil }
        self.id = id
        action = (Self.field("action", in: recipient) ?? "").lowercased()
        self.status = String(status)
        let named = ["final-recipient", "original-recipient"].compactMap { Self.field($0, in: recipient) }
            .compactMap { $0.split(separator: ";", maxSplits: 1).last.map(String.init) }
        var addresses: [String] = []
        for text in named + [Self.field("to", in: returned) ?? ""] {
            let address = text.split(whereSeparator: { "<> ".contains($0) }).last.map { $0.lowercased() }
            if let address, !addresses.contains(address) { addresses.append(address) }
        }
        self.addresses = addresses
    }

    /// `id` of `<id@host>`.
    private static func localPart(_ text: String) -> String? {
        let inside = text.drop { $0 == "<" || $0 == " " }.prefix { $0 != "@" && $0 != ">" }
        return inside.isEmpty ? nil : String(inside)
    }

    // MARK: fields

    private typealias Lines = ArraySlice<Substring>

    private static func split(_ lines: Lines) -> (head: [(name: String, value: String)], body: Lines) {
        let end = lines.firstIndex(where: \.isEmpty) ?? lines.endIndex
        return (fields(lines[..<end]), end < lines.endIndex ? lines[(end + 1)...] : [])
    }

    /// Folded lines belong to the field before (RFC 5322 clause 2.2.3).
    private static func fields(_ lines: Lines) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for line in lines {
            if line.first == " " || line.first == "\t" {
                if !fields.isEmpty { fields[fields.count - 1].value += " " + line.drop(while: \.isWhitespace) }
            } else if let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
                fields.append((line[..<colon].lowercased(), String(value)))
            }
        }
        return fields
    }

    private static func field(_ name: String, in fields: [(name: String, value: String)]) -> String? {
        fields.first { $0.name == name }?.value
    }

    private static func parameter(_ name: String, of value: String) -> String? {
        for part in value.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmed.lowercased() == name else { continue }
            let text = pair[1].trimmed
            return text.hasPrefix("\"") ? String(text.dropFirst().prefix { $0 != "\"" }) : text
        }
        return nil
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
