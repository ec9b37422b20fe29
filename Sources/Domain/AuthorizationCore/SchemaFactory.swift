package import JSONSchema
package import Primitives

/// Compiles schemas that tenants registered, on no thread that serves requests.
package protocol SchemaFactory: Sendable {
    /// For this program's own schemas.
    var patterns: any PatternCompiler { get }

    /// Throws `JSONSchema.Failure`, or `SchemaFactoryBusy`. Schemas of one purpose never wait for those of the other.
    func compile(_ schema: JSONValue, for purpose: SchemaPurpose) async throws -> JSONSchema
}

package enum SchemaPurpose: Sendable {
    /// Somebody wants to register it.
    case check
    /// It is stored, and a change of the configuration waits for it.
    case use
}

/// As many schemas as allowed wait to be compiled. Ask again later.
package struct SchemaFactoryBusy: Error, TransientError {
    package init() {}
    package var isTransient: Bool { true }
}

/// Bounds what checking the authorization details of one request costs, and counts the requests refused for it.
package final class DetailsCheckLimit: Sendable {
    /// Steps of `StepBudget` for all details of a request: under 20 milliseconds.
    package static let defaultSteps = 2_000_000

    package let steps: Int
    private let count = Counter()

    package init(steps: Int = defaultSteps) { self.steps = steps }

    package var refusals: Int { count.count }

    package func countRefusal() { count.increment() }
}
