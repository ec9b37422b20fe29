package import AuthorizationCore
package import JSONSchema
package import Primitives
import Threads

/// Compiles schemas on two threads of its own: a pattern may take a hundredth of a second, and what anybody has checked
/// must not keep the configuration of all tenants waiting.
package struct RE2SchemaFactory: SchemaFactory {
    private let checks: Workers
    /// One that takes up the configuration brings one schema at a time.
    private let uses = Workers(threads: 1, queueLimit: 4_096)

    /// - Parameter queueLimit: how many schemas may wait to be checked before `SchemaFactoryBusy`.
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
