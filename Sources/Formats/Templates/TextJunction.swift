/// The end of written text, and the start of the next. Two texts from outside could make a link together.
struct TextJunction {
    private enum Place: Equatable {
        case text
        case tag(afterEquals: Bool)
        case quote(Unicode.Scalar)
        case comment
    }

    private var place = Place.text
    /// True if text from outside ends here in a character after which letters make a name or an address.
    private var joins = false

    /// The text as it is written here: with a joiner where it would go on with a link. In HTML, tags part nothing,
    /// since plain text lacks them.
    mutating func joined(_ text: String, isOutside: Bool, as format: Template.Format) -> String {
        let scalars = text.unicodeScalars
        let wasText = place == .text
        guard let seen = format == .html ? read(scalars) : Self.ends(of: scalars) else {
            // Attributes may be shown, too, such as an image's words.
            if isOutside, !wasText, String.joins(scalars.last) { joins = true }
            return text
        }
        let isLink = joins && isOutside && scalars[seen.first].beginsName
        joins = isOutside && String.joins(scalars[seen.last])
        guard isLink else { return text }
        return String(scalars[..<seen.first]) + String(String.joiner) + String(scalars[seen.first...])
    }

    private typealias Ends = (first: String.Index, last: String.Index)

    private static func ends(of scalars: String.UnicodeScalarView) -> Ends? {
        scalars.isEmpty ? nil : (scalars.startIndex, scalars.index(before: scalars.endIndex))
    }

    /// The first and the last scalar outside of tags and comments.
    private mutating func read(_ scalars: String.UnicodeScalarView) -> Ends? {
        if place == .text, !scalars.contains("<") { return Self.ends(of: scalars) }
        var ends: Ends?
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            switch place {
            case .text:
                place = Self.place(after: scalars[index...])
                if place == .text { ends = (ends?.first ?? index, index) }
            case .tag(let afterEquals):
                if scalar == ">" {
                    place = .text
                } else if afterEquals, scalar == "\"" || scalar == "'" {
                    place = .quote(scalar)
                } else {
                    place = .tag(afterEquals: scalar == "=" || afterEquals && scalar.isBlank)
                }
            case .quote(let end): if scalar == end { place = .tag(afterEquals: false) }
            case .comment:
                let isEnd = scalar == ">" && scalars[..<index].suffix(2).elementsEqual("--".unicodeScalars)
                if isEnd { place = .text }
            }
            scalars.formIndex(after: &index)
        }
        return ends
    }

    /// The place after the first scalar, which is in text.
    private static func place(after rest: Substring.UnicodeScalarView) -> Place {
        guard rest.first == "<", let next = rest.dropFirst().first else { return .text }
        if rest.starts(with: "<!--".unicodeScalars) { return .comment }
        let isTag = next == "/" || next == "!" || next == "?" || next.isASCII && next.properties.isAlphabetic
        return isTag ? .tag(afterEquals: false) : .text
    }
}
