package import Primitives

/// A JSON Schema of draft 2020-12, compiled once and then checked against many values.
///
/// The schema is self-contained: `$ref` points only into the schema, and compiling finds all its faults. Unknown and
/// unsupported keywords are refused, so that no rule is silently ignored; annotations such as `title` are accepted,
/// and so are `x-order`, `x-translations`, `x-headline` and `x-groupable`, which `SchemaPresentation` reads. `format` asserts, except for formats
/// that only say how a value is shown, and unknown formats are refused. `pattern` takes the part of ECMA-262 that can be
/// matched in linear time; a `PatternCompiler` compiles it.
///
/// Validation spends steps of a budget, and stops if the budget is used up. Member names are compared by canonical
/// equivalence as `JSONObject` does, strings code point for code point.
package struct JSONSchema: Sendable {
    /// Fault of a schema.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// JSON Pointer (RFC 6901) into the schema; empty for its root.
        package let pointer: String
        /// The keyword at fault. Nil means that the whole value is not a schema.
        package let keyword: String?
        /// Required change in English, such as "must be a whole number that is not negative".
        package let reason: String

        package init(pointer: String, keyword: String?, reason: String) {
            self.pointer = pointer
            self.keyword = keyword
            self.reason = reason
        }

        /// The reason with its place in the schema.
        package var description: String { "at \"\(pointer)\" \(keyword.map { "\($0) " } ?? "")\(reason)" }
    }

    /// The first rule that a value breaks.
    package struct Violation: Error, Sendable, Equatable {
        /// JSON Pointer (RFC 6901) into the value; empty for its root.
        package let pointer: String
        /// Keyword of the broken rule.
        package let keyword: String
        /// Required change, such as "instructedAmount.amount must be at least 1". Quotes only member names of the
        /// value, shortened and without control characters.
        package let english: String
    }

    /// All subschemas, the root first.
    private let subschemas: [Subschema]
    /// Subschemas that others refer to, whose results are cached.
    private let referenced: Set<Int>
    private let constants: EqualityClasses
    package let weight: Weight
    /// An annotation that nothing reads, most likely a mistake. New schemas with one should be refused.
    package let unusable: Failure?

    /// Cost of compiling and keeping a schema's patterns.
    package struct Weight: Sendable, Equatable {
        package var patterns = 0
        /// Upper estimate of the instructions of the compiled patterns.
        package var instructions = 0

        package init(patterns: Int = 0, instructions: Int = 0) {
            self.patterns = patterns
            self.instructions = instructions
        }

        package static func += (sum: inout Weight, other: Weight) {
            sum.patterns += other.patterns
            sum.instructions += other.instructions
        }
    }

    /// Maximum nesting of schemas.
    static let depthLimit = 32
    /// Maximum chain of schemas for one value, by `$ref` or in place. With the depth of values it bounds the stack of
    /// validation: 16 times 33 schemas, under 2 MB in an unoptimised build.
    static let chainLimit = 16
    /// Maximum number of schemas.
    static let subschemaLimit = 5_000
    /// Maximum number of patterns, including `patternProperties`.
    static let patternLimit = 100

    /// Computes a schema's weight without compiling patterns, in time linear in the schema's size. Throws as `init`
    /// does, except for patterns that only their compiler refuses.
    package static func weight(of schema: JSONValue) throws(Failure) -> Weight {
        try JSONSchema(compiling: schema, patterns: UncompiledPatterns()).weight
    }

    /// Compiles a schema. `patterns` takes most of the time.
    package init(compiling schema: JSONValue, patterns: any PatternCompiler) throws(Failure) {
        var compiler = SchemaCompiler(patterns)
        try compiler.compile(schema)
        weight = compiler.weight
        unusable = compiler.unusable
        subschemas = compiler.subschemas
        referenced = compiler.referenced
        constants = EqualityClasses(extending: compiler.constants)
    }

    /// Validates a value. Nil means that it is valid. More than 32 levels of arrays and objects, or an exponent of more
    /// than 9 digits, violate `type`. Throws if `budget` has too few steps. The same schema and value always take the
    /// same number of steps.
    package func validate(
        _ value: JSONValue, within budget: inout StepBudget
    ) throws(StepBudget.Exhausted) -> Violation? {
        var classes = constants
        let instance = Instance(value, classes: &classes)
        var evaluation = Evaluation(subschemas: subschemas, referenced: referenced, instance: instance, budget: budget)
        defer { budget = evaluation.budget }
        return try evaluation.run().map { Violation($0, in: instance) }
    }

    /// Validates without a budget, for a schema of this program's own, whose cost is known.
    package func validate(_ value: JSONValue) -> Violation? {
        var budget = StepBudget.unlimited
        do {
            return try validate(value, within: &budget)
        } catch {
            return Violation(
                pointer: "", keyword: Keyword.schema.rawValue, english: "the value is too much to check; shorten it")
        }
    }
}
