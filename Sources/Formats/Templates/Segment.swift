/// A piece of a template's source: text, or the inside of markup.
struct Segment: Sendable {
    enum Kind: Sendable { case text, output, tag }

    let kind: Kind
    var range: Range<Int>

    /// Splits a source. The bodies of `raw` are text, and those of `comment` are left out.
    static func all(of source: [UInt8]) throws(TemplateFailure) -> [Segment] {
        var segments: [Segment] = []
        var position = 0
        var trimsNext = false
        func addText(_ range: Range<Int>, trimsEnd: Bool) {
            var range = range
            if trimsNext { while let first = range.first, isBlank(source[first]) { range.removeFirst() } }
            if trimsEnd { while let last = range.last, isBlank(source[last]) { range.removeLast() } }
            if !range.isEmpty { segments.append(Segment(kind: .text, range: range)) }
        }
        while position < source.count {
            guard let start = opening(in: source, from: position) else {
                addText(position..<source.count, trimsEnd: false)
                break
            }
            let markup = try markup(at: start, in: source)
            addText(position..<start, trimsEnd: markup.trimsBefore)
            trimsNext = markup.trimsAfter
            position = markup.end
            guard markup.segment.kind == .tag else {
                segments.append(markup.segment)
                continue
            }
            let name = String(decoding: source[markup.segment.range].prefix { !isBlank($0) }, as: UTF8.self)
            switch name {
            case "raw", "comment":
                guard let ending = end(of: name, in: source, from: position) else {
                    throw TemplateFailure("{% \(name) %} has no {% end\(name) %}", at: start, in: source)
                }
                if name == "raw" { addText(position..<ending.start, trimsEnd: ending.markup.trimsBefore) }
                position = ending.markup.end
                trimsNext = ending.markup.trimsAfter
            default: segments.append(markup.segment)
            }
        }
        return segments
    }

    private struct Markup {
        let segment: Segment
        let end: Int
        let trimsBefore, trimsAfter: Bool
    }

    private static func opening(in source: [UInt8], from start: Int) -> Int? {
        var position = start
        while position + 1 < source.count {
            if source[position] == UInt8(ascii: "{"),
                source[position + 1] == UInt8(ascii: "{") || source[position + 1] == UInt8(ascii: "%")
            {
                return position
            }
            position += 1
        }
        return nil
    }

    private static func markup(at start: Int, in source: [UInt8]) throws(TemplateFailure) -> Markup {
        let isTag = source[start + 1] == UInt8(ascii: "%")
        let closing = [isTag ? UInt8(ascii: "%") : UInt8(ascii: "}"), UInt8(ascii: "}")]
        var end = start + 2
        while end + 1 < source.count, source[end] != closing[0] || source[end + 1] != closing[1] { end += 1 }
        guard end + 1 < source.count else {
            throw TemplateFailure(isTag ? "{% has no %}" : "{{ has no }}", at: start, in: source)
        }
        var range = start + 2..<end
        let trimsBefore = range.first.map { source[$0] == UInt8(ascii: "-") } ?? false
        if trimsBefore { range.removeFirst() }
        let trimsAfter = range.last.map { source[$0] == UInt8(ascii: "-") } ?? false
        if trimsAfter { range.removeLast() }
        while let first = range.first, isBlank(source[first]) { range.removeFirst() }
        while let last = range.last, isBlank(source[last]) { range.removeLast() }
        return Markup(
            segment: Segment(kind: isTag ? .tag : .output, range: range), end: end + 2, trimsBefore: trimsBefore,
            trimsAfter: trimsAfter)
    }

    /// The next `{% endNAME %}`. Each `{%` is judged by what follows it directly, not by a search for its end.
    private static func end(
        of name: String, in source: [UInt8], from start: Int
    ) -> (start: Int, markup: Markup)? {
        let word = "end\(name)".utf8
        var position = start
        while let next = opening(in: source, from: position) {
            position = next + 2
            guard source[next + 1] == UInt8(ascii: "%") else { continue }
            var rest = source[position...]
            if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            rest = rest.drop(while: isBlank)
            guard rest.starts(with: word) else { continue }
            rest = rest.dropFirst(word.count).drop(while: isBlank)
            if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard rest.starts(with: "%}".utf8), let markup = try? markup(at: next, in: source) else { continue }
            return (next, markup)
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
