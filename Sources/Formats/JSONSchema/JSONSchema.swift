package import Primitives

/// A JSON Schema of draft 2020-12, compiled once and then checked against many values.
///
/// It stands alone: `$ref` points into itself, and what the schema may contain is settled when it is compiled. A
/// keyword that is unknown or not supported is refused rather than ignored, so that no rule silently does nothing;
/// annotations such as `title` are let through. `format` asserts, and an unknown one is refused. `pattern` takes the
/// part of ECMA-262 that can be matched in linear time; a `PatternCompiler` compiles it.
///
/// Checking takes steps out of a budget, and ends where that is used up. Names of
/// members are compared by canonical equivalence as `JSONObject` does, strings code point for code point.
package struct JSONSchema: Sendable {
    /// Fault of a schema.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// JSON Pointer (RFC 6901) into the schema; empty for its root.
        package let pointer: String
        /// The keyword at fault. Nil if the whole value is no schema.
        package let keyword: String?
        /// Required change in English, such as "must be a whole number that is not negative".
        package let reason: String

        package init(pointer: String, keyword: String?, reason: String) {
            self.pointer = pointer
            self.keyword = keyword
            self.reason = reason
        }

        /// With its place in the schema.
        package var description: String { "at \"\(pointer)\" \(keyword.map { "\($0) " } ?? "")\(reason)" }
    }

    /// The first rule that a value breaks.
    package struct Violation: Error, Sendable, Equatable {
        /// JSON Pointer (RFC 6901) into the value; empty for its root.
        package let pointer: String
        /// The keyword whose rule is broken.
        package let keyword: String
        /// Required change, such as "instructedAmount.amount must be at least 1". Names of members of the value are
        /// quoted shortened and without control characters; nothing else of the value is quoted.
        package let english: String
    }

    /// The root is the first.
    private let subschemas: [Subschema]
    /// Places that several others lead to, whose results are worth keeping.
    private let referenced: Set<Int>
    private let constants: EqualityClasses
    package let weight: Weight

    /// Cost of compiling and keeping a schema's patterns.
    package struct Weight: Sendable, Equatable {
        package var patterns = 0
        /// Upper estimate for their compiled forms.
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

    /// Schemas within one another.
    static let depthLimit = 32
    /// Schemas that lead to one another, by `$ref` or in place, for one value. With the depth of values it bounds the
    /// stack of validating: 16 times 33 schemas, under 2 MB in an unoptimised build.
    static let chainLimit = 16
    /// Schemas in all.
    static let subschemaLimit = 5_000
    /// Patterns in all, `patternProperties` included.
    static let patternLimit = 100

    /// Computes a schema's weight. Throws as compiling does, except for patterns that only their compiler refuses; compiles
    /// none, so it costs no more than the schema's size.
    package static func weight(of schema: JSONValue) throws(Failure) -> Weight {
        try JSONSchema(compiling: schema, patterns: UncompiledPatterns()).weight
    }

    /// Takes as long as the schema's patterns take `patterns`.
    package init(compiling schema: JSONValue, patterns: any PatternCompiler) throws(Failure) {
        var compiler = SchemaCompiler(patterns)
        try compiler.compile(schema)
        weight = compiler.weight
        subschemas = compiler.subschemas
        referenced = compiler.referenced
        constants = EqualityClasses(extending: compiler.constants)
    }

    /// Nil for a valid value. Also refuses, as of the wrong `type`, a value with more than 32 levels of arrays and
    /// objects or a number whose exponent has more than 9 digits. Throws where `budget` has too few steps; a schema and a
    /// value always take as many.
    package func validate(
        _ value: JSONValue, within budget: inout StepBudget
    ) throws(StepBudget.Exhausted) -> Violation? {
        var classes = constants
        let instance = Instance(value, classes: &classes)
        var evaluation = Evaluation(
            subschemas: subschemas, referenced: referenced, instance: instance, budget: budget)
        defer { budget = evaluation.budget }
        return try evaluation.run().map { Violation($0, in: instance) }
    }

    /// Without a budget: for a schema of this program's own, whose cost for a value is known.
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
