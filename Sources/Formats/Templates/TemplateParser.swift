/// Builds the nodes of a template.
struct TemplateParser {
    private let source: [UInt8]
    private let segments: [Segment]
    private var position = 0
    private var depth = 0
    /// Loops around the current node.
    private var loops = 0

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
        "endif", "endunless", "endfor", "endcase", "endcapture", "else", "elsif", "when", "endraw", "endcomment",
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
            case .text: nodes.append(.text(String(decoding: source[segment.range], as: UTF8.self)))
            case .output:
                var reader = try ExpressionReader(source, segment.range)
                nodes.append(.output(try reader.filtered()))
                try reader.finish()
            case .tag:
                var reader = try ExpressionReader(source, segment.range)
                let name = try reader.name("a tag")
                let tag = Tag(name: name, reader: reader)
                if ends.contains(name) { return (nodes, tag) }
                if Self.closings.contains(name) {
                    throw failure("{% \(name) %} does not belong here", at: reader.start)
                }
                guard depth <= Template.depthLimit else {
                    throw failure("blocks are nested more than \(Template.depthLimit) deep", at: reader.start)
                }
                nodes.append(try node(tag))
            }
        }
        return (nodes, nil)
    }

    private mutating func node(_ tag: Tag) throws(TemplateFailure) -> Node {
        var reader = tag.reader
        switch tag.name {
        case "assign":
            let name = try reader.name("a variable")
            try reader.expect("=")
            let value = try reader.filtered()
            try reader.finish()
            return .assign(name, value)
        case "capture":
            let name = try reader.name("a variable")
            try reader.finish()
            let (body, end) = try block(until: ["endcapture"])
            try close(end, tag)
            return .capture(name, body)
        case "if": return try conditional(tag, negated: false)
        case "unless": return try conditional(tag, negated: true)
        case "case": return try choice(tag)
        case "for": return try loop(tag)
        case "break", "continue":
            try reader.finish()
            guard loops > 0 else { throw failure("{% \(tag.name) %} is outside of a loop", at: reader.start) }
            return tag.name == "break" ? .leave : .skip
        case "cycle": return try cycle(&reader)
        case "increment", "decrement":
            let name = try reader.name("a counter")
            try reader.finish()
            return .count(name, step: tag.name == "increment" ? 1 : -1)
        default:
            throw failure(
                "the tag \(tag.name) is not known; there are assign, capture, if, unless, case, for, cycle, increment, "
                    + "decrement, raw and comment",
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
        let spelling = String(decoding: source[start..<reader.offset], as: UTF8.self)
        return .cycle(group: group ?? .literal(.text(spelling, .template)), texts)
    }

    private func close(_ end: Tag?, _ start: Tag) throws(TemplateFailure) {
        guard let end else {
            throw failure("{% \(start.name) %} has no {% end\(start.name) %}", at: start.reader.start)
        }
        try end.reader.finish()
    }

    private mutating func conditional(_ tag: Tag, negated: Bool) throws(TemplateFailure) -> Node {
        var reader = tag.reader
        let first = try reader.condition()
        try reader.finish()
        var condition: Condition? = negated ? .not(first) : first
        var branches: [(condition: Condition?, body: [Node])] = []
        while true {
            // Nothing follows an else.
            let ends: Set = condition == nil ? ["end\(tag.name)"] : ["elsif", "else", "end\(tag.name)"]
            let (body, end) = try block(until: ends)
            branches.append((condition, body))
            guard var end, end.name != "end\(tag.name)" else {
                try close(end, tag)
                return .branches(branches)
            }
            condition = end.name == "elsif" ? try end.reader.condition() : nil
            try end.reader.finish()
        }
    }

    private mutating func choice(_ tag: Tag) throws(TemplateFailure) -> Node {
        var reader = tag.reader
        let value = try reader.expression()
        try reader.finish()
        var branches: [(condition: Condition?, body: [Node])] = []
        // Nothing between the tags `case` and `when` is shown.
        var (_, end) = try block(until: ["when", "else", "endcase"])
        while var next = end, next.name != "endcase" {
            var condition: Condition?
            if next.name == "when" {
                var options = [try next.reader.expression()]
                while next.reader.take(",") || next.reader.take(word: "or") {
                    options.append(try next.reader.expression())
                }
                condition = .among(value, options)
            }
            try next.reader.finish()
            let (body, following) = try block(until: condition == nil ? ["endcase"] : ["when", "else", "endcase"])
            branches.append((condition, body))
            end = following
        }
        try close(end, tag)
        return .branches(branches)
    }

    private mutating func loop(_ tag: Tag) throws(TemplateFailure) -> Node {
        var reader = tag.reader
        let variable = try reader.name("a variable")
        guard reader.take(word: "in") else { throw failure("in is missing: {% for x in list %}", at: reader.offset) }
        let list: Node.Loop.Source
        if reader.take("(") {
            let first = try reader.expression()
            try reader.expect("..")
            list = .range(first, try reader.expression())
            try reader.expect(")")
        } else {
            list = .list(try reader.expression())
        }
        var (limit, offset): (Expression?, Expression?)
        var isReversed = false
        while !reader.isAtEnd {
            _ = reader.take(",")
            switch try reader.name("limit, offset or reversed") {
            case "reversed": isReversed = true
            case "limit":
                try reader.expect(":")
                limit = try reader.expression()
            case "offset":
                try reader.expect(":")
                guard !reader.take(word: "continue") else {
                    throw failure("offset: continue is not known", at: reader.offset)
                }
                offset = try reader.expression()
            case let name: throw failure("a loop has no \(name)", at: reader.offset)
            }
        }
        loops += 1
        var (body, end) = try block(until: ["else", "endfor"])
        loops -= 1
        var otherwise: [Node] = []
        if end?.name == "else" {
            try end?.reader.finish()
            (otherwise, end) = try block(until: ["endfor"])
        }
        try close(end, tag)
        return .loop(
            Node.Loop(
                variable: variable, source: list, limit: limit, offset: offset, isReversed: isReversed, body: body,
                otherwise: otherwise), at: reader.start)
    }
}
