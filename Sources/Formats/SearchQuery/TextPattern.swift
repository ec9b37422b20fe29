/// A whole text with wildcards.
package struct TextPattern: Sendable, Hashable {
    package enum Piece: Sendable, Hashable {
        case literal(String)
        /// One code point.
        case one
        /// Zero or more code points.
        case anyNumber
    }

    /// Never has two adjacent literals or `anyNumber`.
    package let pieces: [Piece]

    package init(_ pieces: [Piece]) {
        var joined: [Piece] = []
        for piece in pieces {
            switch (joined.last, piece) {
            case (.literal(let before), .literal(let text)): joined[joined.count - 1] = .literal(before + text)
            case (.anyNumber, .anyNumber): break
            default: joined.append(piece)
            }
        }
        self.pieces = joined
    }

    /// Literal start of every match; may be empty.
    package var prefix: String { if case .literal(let text) = pieces.first { text } else { "" } }

    /// True if every text with `prefix` matches.
    package var isPrefix: Bool { pieces == [.literal(prefix), .anyNumber] }

    /// True if the whole text matches. Backtracks only to the last `*`, so the time is at most the product of both
    /// lengths.
    package func matches(_ text: String) -> Bool {
        let text = Array(text.unicodeScalars)
        let wanted = pieces.flatMap { piece -> [Piece] in
            guard case .literal(let text) = piece else { return [piece] }
            return text.unicodeScalars.map { .literal(String($0)) }
        }
        var (read, at) = (0, 0)
        var last: (star: Int, read: Int)?
        while read < text.count {
            if at < wanted.count, wanted[at] == .anyNumber {
                last = (at, read)
                at += 1
            } else if at < wanted.count, wanted[at] == .one || wanted[at] == .literal(String(text[read])) {
                read += 1
                at += 1
            } else if let (star, begun) = last {
                last = (star, begun + 1)
                read = begun + 1
                at = star + 1
            } else {
                return false
            }
        }
        return wanted[at...].allSatisfy { $0 == .anyNumber }
    }

    var folded: TextPattern {
        TextPattern(
            pieces.map { piece in if case .literal(let text) = piece { .literal(text.lowercased()) } else { piece }
            })
    }
}

extension TextPattern {
    package var literal: String? {
        switch pieces.count {
        case 0: return ""
        case 1: if case .literal(let text) = pieces[0] { return text } else { return nil }
        default: return nil
        }
    }

    /// Only `*`.
    package var isEveryone: Bool { pieces == [.anyNumber] }
}
