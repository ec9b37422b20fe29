package import AuthorizationCore
package import JSONSchema
package import Primitives
import Threads

/// Compiles schemas on two threads of its own. A pattern may take 10 ms, and checks by clients must not delay the
/// configuration of all tenants.
package struct RE2SchemaFactory: SchemaFactory {
    private let checks: Workers
    /// Loading the configuration compiles one schema at a time.
    private let uses = Workers(threads: 1, queueLimit: 4_096)

    /// - Parameter queueLimit: Maximum schemas that wait to be checked; more throw `SchemaFactoryBusy`.
    package init(queueLimit: Int = 64) { checks = Workers(threads: 1, queueLimit: queueLimit) }

    package var patterns: any PatternCompiler { RE2PatternCompiler() }

    package func compile(_ schema: JSONValue, for purpose: SchemaPurpose) async throws -> JSONSchema {
        let workers =
            switch purpose {
            case .check: checks
            case .use: uses
            }
        do {
            return try await workers.run { try JSONSchema(compiling: schema, patterns: RE2PatternCompiler()) }
        } catch is Workers.Busy {
            throw SchemaFactoryBusy()
        }
    }
}
