package import Primitives

/// A text with Liquid's markup, parsed when it is stored. It knows the parts of Liquid that texts of mails use, and
/// reads nothing but the values that it is given.
///
/// In HTML, every value is escaped; there is no way to insert one as it is. Text from outside, which a client or a user
/// wrote, keeps its characters for comparisons and becomes `visible` when it is written.
package struct Template: Sendable, Equatable {
    package enum Format: Sendable {
        case html
        /// Inserts values without escapes, for headers and plain text.
        case plain
    }

    /// Maximum bytes of a source.
    package static let sourceLimit = 65_536
    /// Maximum bytes of a rendered text.
    package static let outputLimit = 262_144
    /// Maximum levels of blocks within blocks.
    package static let depthLimit = 16
    /// Maximum steps of one rendering. Steps are a node, a turn of a loop, a condition, a filter, a name or an index
    /// that is read, and `bytesOfStep` of a value that is read, compared, filtered, copied or written.
    package static let stepLimit = 20_000
    static let bytesOfStep = 256
    /// Fewer are a step if the work is on characters.
    static let charactersOfStep = 32
    /// Maximum bytes of all variables at a time.
    package static let variableLimit = 1 << 20
    /// Maximum elements of a list that a filter makes.
    package static let elementLimit = 10_000

    package let source: String
    /// Paths of the values that the template reads, such as `user.email`, each once and in their order. Those of a
    /// loop's variable are below the list's. Long paths are cut.
    package let paths: [String]
    /// True if the template reads more paths than are kept.
    package let hasMorePaths: Bool
    let nodes: [Node]

    package init(parsing source: String) throws(TemplateFailure) {
        guard source.utf8.count <= Self.sourceLimit else {
            throw TemplateFailure("it has more than \(Self.sourceLimit) bytes", at: 0, in: [UInt8]())
        }
        self.source = source
        let bytes = Array(source.utf8)
        var parser = TemplateParser(bytes, try Segment.all(of: bytes))
        nodes = try parser.template()
        var reader = PathReader()
        reader.read(nodes)
        paths = reader.paths
        hasMorePaths = reader.hasMore
    }

    /// - Parameters:
    ///   - own: Paths of values that are not from outside.
    ///   - now: Time that the filter `date` reads as `now`.
    package func rendered(
        with values: JSONObject, own: TemplatePaths = TemplatePaths(), as format: Format, now: Timestamp
    ) throws(TemplateFailure) -> String {
        var renderer = TemplateRenderer(values, own: own, format, now: now, source: source)
        _ = try renderer.render(nodes)
        return renderer.output
    }

    package static func == (one: Template, other: Template) -> Bool { one.source == other.source }
}

/// A fault of a template, with its place.
package struct TemplateFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package let problem: String
    /// Both count from 1.
    package let line, column: Int

    /// `offset` counts bytes of `source`.
    init(_ problem: String, at offset: Int, in source: some BidirectionalCollection<UInt8>) {
        let before = source.prefix(offset)
        self.problem = problem
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { before.index(after: $0) } ?? before.startIndex
        column = String(decoding: before[start...], as: UTF8.self).count + 1
    }

    package var description: String { "line \(line), column \(column): \(problem)" }
}

/// A parsed element. Offsets are for failures.
indirect enum Node: Sendable {
    /// A walk of `for` or `tablerow`.
    struct Loop: Sendable {
        enum Offset: Sendable {
            case value(Expression)
            /// The end of the loop before it with the same variable and list.
            case onward
        }

        let variable: String
        let list: Expression
        /// The variable and the list in their spelling.
        let name: String
        let limit: Expression?
        let offset: Offset?
        let isReversed: Bool
        /// Columns of a table's rows. Nil are those of all elements.
        let columns: Expression?
        let body, otherwise: [Node]
    }

    /// Text of `raw` never counts as white space between tags.
    case text(String, isVerbatim: Bool)
    case output(Filtered)
    case assign(String, Filtered)
    case capture(String, [Node])
    /// The first branch whose condition holds. A nil condition always does.
    case branches([(condition: Condition?, body: [Node])])
    /// Each branch once for each option that equals the value. Those without options if none before did.
    case choice(Expression, [(options: [Expression]?, body: [Node])])
    case loop(Loop, at: Int)
    /// A row of a table for each element of the loop, or more in one.
    case rows(Loop, at: Int)
    /// Writes the nodes, unless the last such element wrote the same.
    case changed([Node])
    /// The next of the texts at each turn. Cycles of the same group go on where the other ended.
    case cycle(group: Expression, [Expression])
    /// Writes the counter, and changes it by `step` before or after.
    case count(String, step: Int)
    case leave
    case skip

    /// True if nothing is written but white space.
    var isBlank: Bool {
        switch self {
        case .text(let text, let isVerbatim): !isVerbatim && text.utf8.allSatisfy(\.isLiquidSpace)
        case .assign, .capture: true
        case .branches(let branches): branches.allSatisfy { $0.body.allSatisfy(\.isBlank) }
        case .choice(_, let branches): branches.allSatisfy { $0.body.allSatisfy(\.isBlank) }
        case .loop(let loop, _): loop.body.allSatisfy(\.isBlank) && loop.otherwise.allSatisfy(\.isBlank)
        case .output, .rows, .changed, .cycle, .count, .leave, .skip: false
        }
    }
}

indirect enum Expression: Sendable {
    case literal(TemplateValue)
    case path(String, [Accessor])
    /// A path that begins with a name in brackets.
    case indirect(Expression, [Accessor])
    case range(Expression, Expression)
}

enum Accessor: Sendable {
    case member(String)
    case index(Expression)
}

/// An expression with the filters after it.
struct Filtered: Sendable {
    struct Step: Sendable {
        let filter: TemplateFilter
        let arguments: [Expression]
        let named: Expression?
        let offset: Int
    }

    let base: Expression
    let steps: [Step]

    /// For failures: that of the first filter.
    var offset: Int { steps.first?.offset ?? 0 }
}

indirect enum Condition: Sendable {
    enum Comparison: String, Sendable {
        case equal = "=="
        case unequal = "!="
        case alsoUnequal = "<>"
        case less = "<"
        case greater = ">"
        case notGreater = "<="
        case notLess = ">="
        case contains
    }

    case truth(Expression)
    case comparison(Expression, Comparison, Expression)
    case both(Condition, Condition)
    case either(Condition, Condition)
    case not(Condition)
}
