import JSONSchema
import Primitives
import TestSupport
import Testing

/// Compiles a schema and expects values to be valid or invalid, all written as JSON.
struct Sample {
    let schema: JSONSchema

    init(_ text: String) throws { schema = try JSONSchema(compiling: try JSONReader.parse(text, depthLimit: 200)) }

    func violation(_ value: String) throws -> JSONSchema.Violation? {
        schema.validate(try JSONReader.parse(value, depthLimit: 200))
    }

    func expect(
        valid: [String], invalid: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for value in valid {
            let violation = try violation(value)
            #expect(violation == nil, "\(value) is valid", sourceLocation: sourceLocation)
        }
        for value in invalid {
            let violation = try violation(value)
            #expect(violation != nil, "\(value) is not valid", sourceLocation: sourceLocation)
        }
    }
}

func expect(
    _ schema: String, valid: [String] = [], invalid: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try Sample(schema).expect(valid: valid, invalid: invalid, sourceLocation: sourceLocation)
}

/// The schema's compilation failure, or nil.
func failure(_ schema: String) throws -> JSONSchema.Failure? {
    let value = try JSONReader.parse(schema, depthLimit: 2_000)
    do {
        _ = try JSONSchema(compiling: value)
        return nil
    } catch {
        return error
    }
}

/// Deterministic random numbers (SplitMix64).
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
