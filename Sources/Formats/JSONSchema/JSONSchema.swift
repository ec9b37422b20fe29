public import Primitives

/// A JSON Schema of draft 2020-12, compiled once and then checked against many values.
///
/// It stands alone: `$ref` points into itself, and what the schema may contain is settled when it is compiled. A
/// keyword that is unknown or not supported is refused rather than ignored, so that no rule silently does nothing;
/// annotations such as `title` are let through. `format` asserts for date, date-time, email, uri, uuid, ipv4 and ipv6.
/// `pattern` takes the part of ECMA-262 that can be matched in linear time.
///
/// Checking takes at most the size of the schema times the size of the value, whatever either looks like. Names of
/// members are compared by canonical equivalence as `JSONObject` does, strings code point for code point.
public struct JSONSchema: Sendable {
    /// What a schema has wrong.
    public struct Failure: Error, Sendable, Equatable {
        /// JSON Pointer (RFC 6901) into the schema; empty for its root.
        public let pointer: String
        /// The keyword at fault; nil where the whole value is no schema.
        public let keyword: String?
        /// What to change, in English, as in "must be a whole number that is not negative".
        public let reason: String
    }

    /// The first rule that a value breaks.
    public struct Violation: Error, Sendable, Equatable {
        /// JSON Pointer (RFC 6901) into the value; empty for its root.
        public let pointer: String
        /// The keyword whose rule is broken.
        public let keyword: String
        /// What to change, as in "instructedAmount.amount must be at least 1". Names of members of the value are
        /// quoted shortened and without control characters; nothing else of the value is quoted.
        public let english: String
        public let french: String
    }

    /// The root is the first.
    private let subschemas: [Subschema]
    /// Places that several others lead to, whose results are worth keeping.
    private let referenced: Set<Int>
    private let constants: EqualityClasses

    /// Schemas within one another.
    static let depthLimit = 32
    /// Schemas that lead to one another, by `$ref` or in place, for one value. With the depth of values it bounds the
    /// stack of validating: 16 times 33 schemas, under 2 MB in an unoptimised build.
    static let chainLimit = 16
    /// Schemas in all.
    static let subschemaLimit = 5_000
    /// States of all patterns together.
    static let patternStateLimit = 10_000

    public init(compiling schema: JSONValue) throws(Failure) {
        var compiler = SchemaCompiler()
        try compiler.compile(schema)
        subschemas = compiler.subschemas
        referenced = compiler.referenced
        constants = EqualityClasses(extending: compiler.constants)
    }

    /// Nil for a valid value. Also refuses, as of the wrong `type`, a value with more than 32 levels of arrays and
    /// objects or a number whose exponent has more than 9 digits.
    public func validate(_ value: JSONValue) -> Violation? {
        var classes = constants
        let instance = Instance(value, classes: &classes)
        var evaluation = Evaluation(subschemas: subschemas, referenced: referenced, instance: instance)
        let finding = instance.refusal ?? evaluation.check(0, against: 0, via: .schema)
        return finding.map { Violation($0, in: instance) }
    }
}
