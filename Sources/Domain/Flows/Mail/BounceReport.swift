import Primitives

/// A report that a mail could not be delivered (RFC 3464), as a mail server returns it.
package struct BounceReport: Sendable, Equatable {
    /// Maximum bytes of a report. Servers may return the whole mail in it.
    package static let limit = 1 << 20

    /// Ids of `MailIDs` in the returned mail: of this server's header, and the left side of `Message-ID`, which some
    /// servers replace.
    package let ids: [String]
    /// Addresses that the report or the returned mail names as the recipient, without repetition.
    package let addresses: [String]
    /// `failed`, `delayed` and so on, in lower case.
    package let action: String
    /// A status of RFC 3463.
    package let status: String

    /// Header of this server's mails with the id alone.
    package static let idHeader = "X-Countersign-Id"
    /// RFC 2046 clause 5.1.1.
    private static let boundaryLimit = 70

    /// Nil unless the message reports on a recipient with a status, and has the returned mail's id.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.count <= Self.limit else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let (head, body) = Self.split(lines[...])
        guard let boundary = Self.parameter("boundary", of: Self.field("content-type", in: head) ?? ""),
            (1...Self.boundaryLimit).contains(boundary.utf8.count)
        else { return nil }
        let delimiters = ["--\(boundary)", "--\(boundary)--"]
        var (recipient, returned): ([(name: String, value: String)]?, [(name: String, value: String)]?)
        let parts = body.split { $0.hasPrefix("--") && delimiters.contains($0.trimmed) }
        for part in parts.prefix(8) {
            let (head, content) = Self.split(part)
            let type = (Self.field("content-type", in: head) ?? "").lowercased()
            // The global types are those of mails with addresses in UTF-8 (RFC 6533).
            if type.hasPrefix("message/delivery-status") || type.hasPrefix("message/global-delivery-status") {
                // The first group is about the message, and each other one about a recipient.
                let groups = content.split(whereSeparator: \.isBlank).map(Self.fields)
                recipient = groups.first { Self.field("action", in: $0) != nil }
            } else if ["message/rfc822", "text/rfc822-headers", "message/global"].contains(where: type.hasPrefix) {
                returned = Self.split(content.drop(while: \.isBlank)).head
            }
        }
        guard let recipient, let returned,
            let status = Self.field("status", in: recipient)?.split(whereSeparator: \.isWhitespace).first,
            MailServerReply.isStatus(status)
        else { return nil }
        ids = [
            Self.field(Self.idHeader.lowercased(), in: returned),
            Self.field("message-id", in: returned).flatMap(Self.localPart),
        ].compactMap(\.self)
        guard !ids.isEmpty else { return nil }
        let action = Self.field("action", in: recipient)?.split(whereSeparator: \.isWhitespace).first
        self.action = action?.lowercased() ?? ""
        // Some servers quote a status that says more than their own.
        let quoted = Self.field("diagnostic-code", in: recipient).flatMap(Self.status(ofDiagnosis:))
        self.status = status == "5.0.0" ? quoted ?? "5.0.0" : String(status)
        let named = ["final-recipient", "original-recipient"].compactMap { Self.field($0, in: recipient) }
            .compactMap { $0.split(separator: ";", maxSplits: 1).last.map(String.init) }
        var addresses: [String] = []
        for text in named + [Self.field("to", in: returned) ?? ""] {
            let address = text.split(whereSeparator: { "<> ".contains($0) }).last.map(String.init)
            if let address, !addresses.contains(address) { addresses.append(address) }
        }
        self.addresses = addresses
    }

    /// `id` of `<id@host>`.
    private static func localPart(_ text: String) -> String? {
        let inside = text.drop { $0 == "<" || $0 == " " }.prefix { $0 != "@" && $0 != ">" }
        return inside.isEmpty ? nil : String(inside)
    }

    /// `5.1.1` of `smtp; 550 5.1.1 No such user`.
    private static func status(ofDiagnosis text: String) -> String? {
        let parts = text.split(separator: ";", maxSplits: 1)
        guard parts.count == 2, parts[0].trimmed.lowercased() == "smtp" else { return nil }
        return MailServerReply([parts[1].trimmed])?.status
    }

    // MARK: fields

    private typealias Lines = ArraySlice<Substring>

    private static func split(_ lines: Lines) -> (head: [(name: String, value: String)], body: Lines) {
        let end = lines.firstIndex(where: \.isBlank) ?? lines.endIndex
        return (fields(lines[..<end]), end < lines.endIndex ? lines[(end + 1)...] : [])
    }

    /// Folded lines belong to the field before (RFC 5322 clause 2.2.3).
    private static func fields(_ lines: Lines) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for line in lines {
            if line.first == " " || line.first == "\t" {
                if !fields.isEmpty { fields[fields.count - 1].value += " " + line.drop(while: \.isWhitespace) }
            } else if let colon = line.firstIndex(of: ":") {
                fields.append((line[..<colon].trimmed.lowercased(), line[line.index(after: colon)...].trimmed))
            }
        }
        return fields
    }

    private static func field(_ name: String, in fields: [(name: String, value: String)]) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// Value of a parameter (RFC 2045 clause 5.1), without quotation marks and without comments.
    private static func parameter(_ name: String, of value: String) -> String? {
        var (parts, quoted, comments, isEscaped) = ([""], false, 0, false)
        for character in value {
            let isPlain = isEscaped || quoted && character != "\"" && character != "\\"
            isEscaped = !isPlain && character == "\\"
            switch character {
            case _ where isPlain: if comments == 0 { parts[parts.count - 1].append(character) }
            case "\\": break
            case "(": comments += 1
            case ")": comments = max(comments - 1, 0)
            case _ where comments > 0: break
            case "\"": quoted.toggle()
            case ";": parts.append("")
            default: parts[parts.count - 1].append(character)
            }
        }
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0].trimmed.lowercased() == name { return pair[1].trimmed }
        }
        return nil
    }
}

extension Substring {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }

    fileprivate var trimmed: String { String(trimmed(\.isWhitespace)) }
}
