/// Builds the nodes of a template.
struct TemplateParser {
    private let source: [UInt8]
    private var segments: [Segment]
    private var position = 0
    private var depth = 0

    init(_ source: [UInt8], _ segments: [Segment]) {
        self.source = source
        self.segments = segments
    }

    mutating func template() throws(TemplateFailure) -> [Node] {
        let (nodes, end) = try block(until: [])
        if let end { throw failure("{% \(end.name) %} does not belong here", at: end.reader.start) }
        return nodes
    }

    private func failure(_ problem: String, at offset: Int) -> TemplateFailure {
        TemplateFailure(problem, at: offset, in: source)
    }

    private struct Tag {
        let name: String
        var reader: ExpressionReader
    }

    /// Tags that end a block or a part of one. Elsewhere they are faults.
    private static let closings: Set = [
        "endif", "endunless", "endfor", "endcase", "endcapture", "endtablerow", "endifchanged", "else", "elsif", "when",
        "endraw", "endcomment",
    ]

    /// Nodes up to one of the tags in `ends`, and that tag. Nil is the end of the source.
    private mutating func block(until ends: Set<String>) throws(TemplateFailure) -> ([Node], Tag?) {
        depth += 1
        defer { depth -= 1 }
        var nodes: [Node] = []
        while position < segments.count {
            let segment = segments[position]
            position += 1
            switch segment.kind {
            case .text, .verbatim:
                let text = String(decoding: source[segment.range], as: UTF8.self)
                nodes.append(.text(text, isVerbatim: segment.kind == .verbatim))
            case .output:
                var reader = try ExpressionReader(source, segment.range)
                nodes.append(.output(try reader.filtered()))
                try reader.finish()
            case .tag where Segment.name(in: source, segment.range) == "liquid":
                try checkDepth(at: segment.range.lowerBound)
                nodes += try lines(of: segment)
            case .tag:
                var reader = try ExpressionReader(source, segment.range)
                let name = try reader.name("a tag")
                let tag = Tag(name: name, reader: reader)
                if ends.contains(name) { return (nodes, tag) }
                if Self.closings.contains(name) {
                    throw failure("{% \(name) %} does not belong here", at: reader.start)
                }
                try checkDepth(at: reader.start)
                nodes.append(try node(tag))
            }
        }
        return (nodes, nil)
    }

    private func checkDepth(at offset: Int) throws(TemplateFailure) {
        guard depth <= Template.depthLimit else {
            throw failure("blocks are nested more than \(Template.depthLimit) deep", at: offset)
        }
    }

    /// The nodes of the tag `liquid`. Blocks that begin in it end in it.
    private mutating func lines(of segment: Segment) throws(TemplateFailure) -> [Node] {
        let outer = (segments, position)
        defer { (segments, position) = outer }
        let start = source[segment.range].firstIndex(where: \.isLiquidSpace) ?? segment.range.upperBound
        (segments, position) = (try Segment.lines(of: source, in: start..<segment.range.upperBound), 0)
        return try template()
    }

    private mutating func node(_ tag: Tag) throws(TemplateFailure) -> Node {
        var reader = tag.reader
        switch tag.name {
        case "assign":
            let name = try reader.name("a variable")
            guard !name.hasSuffix("?") else { throw failure("a variable's name cannot end in ?", at: reader.start) }
            try reader.expect("=")
            let value = try reader.filtered()
            try reader.finish()
            return .assign(name, value)
        case "capture":
            let name = try reader.variable()
            try reader.finish()
            return .capture(name, try body(of: tag))
        case "echo":
            let value = try reader.filtered()
            try reader.finish()
            return .output(value)
        case "if": return try conditional(tag, negated: false)
        case "unless": return try conditional(tag, negated: true)
        case "case": return try choice(tag)
        case "for", "tablerow": return try loop(tag)
        case "ifchanged":
            try reader.finish()
            return .changed(try body(of: tag))
        case "break", "continue":
            try reader.finish()
            return tag.name == "break" ? .leave : .skip
        case "cycle": return try cycle(&reader)
        case "increment", "decrement":
            let name = try reader.name("a counter")
            try reader.finish()
            return .count(name, step: tag.name == "increment" ? 1 : -1)
        default:
            throw failure(
                "the tag \(tag.name) is not known; there are assign, capture, case, comment, cycle, decrement, echo, "
                    + "for, if, ifchanged, increment, liquid, raw, tablerow and unless",
                at: reader.start)
        }
    }

    /// Cycles without a name are the same if their texts are.
    private func cycle(_ reader: inout ExpressionReader) throws(TemplateFailure) -> Node {
        let start = reader.offset
        var texts = [try reader.expression()]
        var group: Expression?
        if reader.take(":") {
            group = texts.removeLast()
            texts.append(try reader.expression())
        }
        while reader.take(",") { texts.append(try reader.expression()) }
        try reader.finish()
        return .cycle(group: group ?? .literal(.text(spelling(start..<reader.offset), .template)), texts)
    }

    /// A part of the source without its white space, and with one kind of quotation mark.
    private func spelling(_ range: Range<Int>) -> String {
        let bytes = source[range].filter { !$0.isLiquidSpace }
        return String(
            decoding: bytes.map { $0 == UInt8(ascii: "\"") ? UInt8(ascii: "'") : $0 }, as: UTF8.self)
    }

    private func close(_ end: Tag?, _ start: Tag) throws(TemplateFailure) {
        guard let end else {
            throw failure("{% \(start.name) %} has no {% end\(start.name) %}", at: start.reader.start)
        }
        try end.reader.finish()
    }

    /// The nodes of a block that has one part.
    private mutating func body(of tag: Tag) throws(TemplateFailure) -> [Node] {
        let (body, end) = try block(until: ["end\(tag.name)"])
        try close(end, tag)
        return body
    }

    private mutating func conditional(_ tag: Tag, negated: Bool) throws(TemplateFailure) -> Node {
        var reader = tag.reader
        let first = try reader.condition()
        try reader.finish()
        var condition: Condition? = negated ? .not(first) : first
        var branches: [(condition: Condition?, body: [Node])] = []
        while true {
            let (body, end) = try block(until: ["elsif", "else", "end\(tag.name)"])
            branches.append((condition, body))
            guard var end, end.name != "end\(tag.name)" else {
                try close(end, tag)
                let isBlank = Node.branches(branches).isBlank
                return .branches(branches.map { ($0.condition, Self.tidied($0.body, isBlank)) })
            }
            condition = end.name == "elsif" ? try end.reader.condition() : nil
            try end.reader.finish()
        }
    }

    /// A block that writes nothing but white space writes nothing, as in Ruby.
    private static func tidied(_ body: [Node], _ isBlank: Bool) -> [Node] {
        isBlank ? body.filter { if case .text = $0 { false } else { true } } : body
    }

    private mutating func choice(_ tag: Tag) throws(TemplateFailure) -> Node {
        var reader = tag.reader
        let value = try reader.expression()
        try reader.finish()
        var branches: [(options: [Expression]?, body: [Node])] = []
        let ends: Set = ["when", "else", "endcase"]
        // Nothing between the tags `case` and `when` is shown.
        var (_, end) = try block(until: ends)
        while var next = end, next.name != "endcase" {
            var options: [Expression]?
            if next.name == "when" {
                var values = [try next.reader.operand()]
                while next.reader.take(",") || next.reader.take(word: "or") {
                    values.append(try next.reader.operand())
                }
                options = values
            }
            try next.reader.finish()
            let (body, following) = try block(until: ends)
            branches.append((options, body))
            end = following
        }
        try close(end, tag)
        let isBlank = Node.choice(value, branches).isBlank
        return .choice(value, branches.map { ($0.options, Self.tidied($0.body, isBlank)) })
    }

    private mutating func loop(_ tag: Tag) throws(TemplateFailure) -> Node {
        var reader = tag.reader
        let isTable = tag.name == "tablerow"
        let variable = try reader.name("a variable")
        guard reader.take(word: "in") else { throw failure("in is missing: {% for x in list %}", at: reader.offset) }
        let start = reader.offset
        let list = try reader.expression()
        let name = "\(variable)-\(spelling(start..<reader.offset))"
        var (limit, columns): (Expression?, Expression?)
        var offset: Node.Loop.Offset?
        var isReversed = false
        while !reader.isAtEnd {
            _ = reader.take(",")
            switch try reader.name(isTable ? "cols, limit or offset" : "limit, offset or reversed") {
            case "reversed" where !isTable: isReversed = true
            case "limit":
                try reader.expect(":")
                limit = try reader.expression()
            case "cols" where isTable:
                try reader.expect(":")
                columns = try reader.expression()
            case "offset":
                try reader.expect(":")
                offset = reader.take(word: "continue") ? .onward : .value(try reader.expression())
            case let name: throw failure("a loop has no \(name)", at: reader.offset)
            }
        }
        func made(_ body: [Node], _ otherwise: [Node]) -> Node {
            let loop = Node.Loop(
                variable: variable, list: list, name: name, limit: limit, offset: offset, isReversed: isReversed,
                columns: columns, body: body, otherwise: otherwise)
            return isTable ? .rows(loop, at: reader.start) : .loop(loop, at: reader.start)
        }
        guard !isTable else { return made(try body(of: tag), []) }
        var (body, end) = try block(until: ["else", "endfor"])
        var otherwise: [Node] = []
        if end?.name == "else" {
            try end?.reader.finish()
            (otherwise, end) = try block(until: ["endfor"])
        }
        try close(end, tag)
        let isBlank = made(body, otherwise).isBlank
        return made(Self.tidied(body, isBlank), Self.tidied(otherwise, isBlank))
    }
}
