public import AuthorizationCore
public import JSONSchema
public import Primitives
import Threads

/// Compiles schemas on a thread of its own: a pattern may take a hundredth of a second.
public struct RE2SchemaFactory: SchemaFactory {
    private let workers: Workers

    /// - Parameter queueLimit: how many schemas may wait before `SchemaFactoryBusy`.
    public init(queueLimit: Int = 64) { workers = Workers(threads: 1, queueLimit: queueLimit) }

    public var patterns: any PatternCompiler { RE2PatternCompiler() }

    public func compile(_ schema: JSONValue) async throws -> JSONSchema {
        do {
            return try await workers.run { try JSONSchema(compiling: schema, patterns: RE2PatternCompiler()) }
        } catch is Workers.Busy {
            throw SchemaFactoryBusy()
        }
    }
}
