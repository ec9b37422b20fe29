package import JSONSchema
package import Primitives

/// Compiles tenants' schemas, off the threads that serve requests.
package protocol SchemaFactory: Sendable {
    /// For this program's own schemas.
    var patterns: any PatternCompiler { get }

    /// Throws `JSONSchema.Failure`, or `SchemaFactoryBusy`. Schemas of one purpose never wait for the other's.
    func compile(_ schema: JSONValue, for purpose: SchemaPurpose) async throws -> JSONSchema
}

package enum SchemaPurpose: Sendable {
    /// Checks a schema that is being registered.
    case check
    /// Compiles a stored schema for a changed configuration that waits for it.
    case use
}

/// Too many schemas wait to be compiled. Retry later.
package struct SchemaFactoryBusy: Error, TransientError {
    package init() {}
    package var isTransient: Bool { true }
}

/// Limits the cost of checking one request's authorization details, and counts the requests refused for it.
package final class DetailsCheckLimit: Sendable {
    /// Steps of `StepBudget` for all details of a request: under 20 milliseconds.
    package static let defaultSteps = 2_000_000

    package let steps: Int
    private let count = Counter()

    package init(steps: Int = defaultSteps) { self.steps = steps }

    package var refusals: Int { count.count }

    package func countRefusal() { count.increment() }
}
