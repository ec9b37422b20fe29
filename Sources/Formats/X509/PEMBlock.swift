import Primitives

/// One encapsulated text (RFC 7468 clause 3).
struct PEMBlock {
    let label: String
    let content: [UInt8]

    /// Reads the only block of a text. Nil if there is none, more than one, or anything but blanks around it.
    init?(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmed }.filter { !$0.isEmpty }
        guard lines.count >= 3, let first = lines.first, let last = lines.last, first.hasPrefix("-----BEGIN "),
            first.hasSuffix("-----")
        else { return nil }
        let label = first.dropFirst(11).dropLast(5)
        guard last == "-----END \(label)-----",
            let content = Base64.decode(lines.dropFirst().dropLast().joined())
        else { return nil }
        self.label = String(label)
        self.content = content
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
