/// A piece of a template's source: text, or the inside of markup.
struct Segment: Sendable {
    enum Kind: Sendable {
        case text
        /// The body of `raw`.
        case verbatim
        case output, tag
    }

    let kind: Kind
    var range: Range<Int>

    /// Splits a source. The bodies of `raw` are text, and those of `comment` are left out.
    static func all(of source: [UInt8]) throws(TemplateFailure) -> [Segment] {
        var segments: [Segment] = []
        var position = 0
        var trimsNext = false
        func addText(_ range: Range<Int>, trimsEnd: Bool, _ kind: Kind = .text) {
            var range = range
            if trimsNext { while let first = range.first, source[first].isLiquidSpace { range.removeFirst() } }
            if trimsEnd { while let last = range.last, source[last].isLiquidSpace { range.removeLast() } }
            if !range.isEmpty { segments.append(Segment(kind: kind, range: range)) }
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
            let name = name(in: source, markup.segment.range)
            switch name {
            case "#": try checkComment(source, markup.segment.range)
            case "raw" where markup.segment.range.count > name.utf8.count:
                throw TemplateFailure("nothing may follow raw", at: start, in: source)
            case "raw", "comment":
                let ending =
                    name == "raw"
                    ? end(of: name, in: source, from: position) : endOfComment(in: source, from: position)
                guard let ending else {
                    throw TemplateFailure("{% \(name) %} has no {% end\(name) %}", at: start, in: source)
                }
                if name == "raw" { addText(position..<ending.start, trimsEnd: ending.markup.trimsBefore, .verbatim) }
                position = ending.markup.end
                trimsNext = ending.markup.trimsAfter
            default: segments.append(markup.segment)
            }
        }
        return segments
    }

    /// The lines of the tag `liquid`, each a tag. Comments are left out.
    static func lines(of source: [UInt8], in range: Range<Int>) throws(TemplateFailure) -> [Segment] {
        var segments: [Segment] = []
        // Offsets of the comments that are open.
        var comments: [Int] = []
        for line in source[range].split(separator: UInt8(ascii: "\n")) {
            let start = line.firstIndex { !$0.isLiquidSpace } ?? line.endIndex
            let end = line.lastIndex { !$0.isLiquidSpace }.map { $0 + 1 } ?? start
            let name = name(in: source, start..<end)
            switch name {
            case "", "#": break
            case "comment": comments.append(start)
            case "endcomment" where !comments.isEmpty: comments.removeLast()
            default: if comments.isEmpty { segments.append(Segment(kind: .tag, range: start..<end)) }
            }
        }
        if let start = comments.first { throw TemplateFailure("comment has no endcomment", at: start, in: source) }
        return segments
    }

    /// The name of a tag, which may be `#`.
    static func name(in source: [UInt8], _ range: Range<Int>) -> String {
        if range.first.map({ source[$0] }) == UInt8(ascii: "#") { return "#" }
        return String(decoding: source[range].prefix { !$0.isLiquidSpace }, as: UTF8.self)
    }

    /// Every line of a comment within a tag has its own `#`, so that no line is taken for a tag.
    private static func checkComment(_ source: [UInt8], _ range: Range<Int>) throws(TemplateFailure) {
        for line in source[range].split(separator: UInt8(ascii: "\n")) {
            guard let start = line.firstIndex(where: { !$0.isLiquidSpace }), line[start] != UInt8(ascii: "#") else {
                continue
            }
            throw TemplateFailure("each line of the comment begins with #", at: start, in: source)
        }
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
        while let first = range.first, source[first].isLiquidSpace { range.removeFirst() }
        while let last = range.last, source[last].isLiquidSpace { range.removeLast() }
        return Markup(
            segment: Segment(kind: isTag ? .tag : .output, range: range), end: end + 2, trimsBefore: trimsBefore,
            trimsAfter: trimsAfter)
    }

    /// The next `{% endNAME %}`. Each `{%` is judged by what follows it directly, not by a search for its end.
    private static func end(
        of name: String, in source: [UInt8], from start: Int
    ) -> (start: Int, markup: Markup)? {
        var position = start
        while let next = opening(in: source, from: position) {
            position = next + 2
            guard isTag("end\(name)", at: next, in: source), let markup = try? markup(at: next, in: source) else {
                continue
            }
            return (next, markup)
        }
        return nil
    }

    /// The end of a comment, in which comments nest and bodies of `raw` count as text.
    private static func endOfComment(in source: [UInt8], from start: Int) -> (start: Int, markup: Markup)? {
        var position = start
        var depth = 1
        // One search in vain tells that no other finds an end.
        var mayEndRaw = true
        while let next = opening(in: source, from: position) {
            position = next + 2
            if isTag("comment", at: next, in: source) {
                depth += 1
            } else if isTag("endcomment", at: next, in: source), let markup = try? markup(at: next, in: source) {
                depth -= 1
                if depth == 0 { return (next, markup) }
            } else if mayEndRaw, isTag("raw", at: next, in: source) {
                if let ending = end(of: "raw", in: source, from: position) {
                    position = ending.markup.end
                } else {
                    mayEndRaw = false
                }
            }
        }
        return nil
    }

    /// True if the tag of this name, and nothing else, stands at the place.
    private static func isTag(_ name: String, at start: Int, in source: [UInt8]) -> Bool {
        guard source[start + 1] == UInt8(ascii: "%") else { return false }
        var rest = source[(start + 2)...]
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        rest = rest.drop(while: \.isLiquidSpace)
        guard rest.starts(with: name.utf8) else { return false }
        rest = rest.dropFirst(name.utf8.count).drop(while: \.isLiquidSpace)
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        return rest.starts(with: "%}".utf8)
    }
}
