public import AuthorizationCore
public import JSONSchema
import Primitives
import Synchronization

/// Has the schemas of authorization details compiled, each text once for as long as the configuration holds it.
public final class SchemaRegistry: Sendable {
    typealias Compiled = Result<JSONSchema, JSONSchema.Failure>

    /// Bytes of a schema's text.
    static let sizeLimit = 65_536

    private let factory: any SchemaFactory
    /// By the bytes of the text: two texts that only look alike are two schemas.
    private let known = Mutex<[[UInt8]: Compiled]>([:])

    public init(_ factory: any SchemaFactory) { self.factory = factory }

    /// For schemas of this program's own.
    public var patterns: any PatternCompiler { factory.patterns }

    /// Puts compiled schemas beside their sources, and forgets those of earlier configurations. Throws
    /// `SchemaFactoryBusy`.
    func compile(_ configuration: Configuration, problem: (String) -> Void) async throws -> Configuration {
        var configuration = configuration
        var used: [[UInt8]: Compiled] = [:]
        for tenant in configuration.tenants.indices {
            for api in configuration.tenants[tenant].resourceServers.indices {
                var types = configuration.tenants[tenant].resourceServers[api].authorizationDetailsTypes
                for index in types.indices {
                    guard let source = types[index].schemaSource else { continue }
                    let text = JSONWriter.bytes(source)
                    let isNew = known.withLock { $0[text] == nil } && used[text] == nil
                    let compiled = if let compiled = used[text] { compiled } else { try await compile(source, text) }
                    used[text] = compiled
                    types[index].schema = compiled
                    if isNew, case .failure(let failure) = compiled {
                        let names = (
                            configuration.tenants[tenant].tenant.id,
                            configuration.tenants[tenant].resourceServers[api].identifier
                        )
                        problem("\(names.0), \(names.1), \(types[index].type): the schema cannot be used, \(failure)")
                    }
                }
                configuration.tenants[tenant].resourceServers[api].authorizationDetailsTypes = types
            }
        }
        let current = used
        known.withLock { $0 = current }
        return configuration
    }

    /// Why the schemas in `types`, a list as `authorization_details` of an API, cannot be registered. Throws
    /// `SchemaFactoryBusy`.
    func problems(in types: JSONValue?, path: String) async throws -> [DocumentProblem] {
        var problems: [DocumentProblem] = []
        var total = SchemaTotal()
        for (index, type) in (types?.arrayValue ?? []).enumerated() {
            guard let source = type["schema"], !source.isNull else { continue }
            // Before it is compiled: one request has no more compiled than a tenant may keep.
            total.add(source)
            if let problem = total.problem { return problems + [DocumentProblem(path: path, message: problem)] }
            if case .failure(let failure) = try await compile(source, JSONWriter.bytes(source)) {
                problems.append(DocumentProblem(path: "\(path)[\(index)].schema", message: failure.description))
            }
        }
        return problems
    }

    private func compile(_ source: JSONValue, _ text: [UInt8]) async throws -> Compiled {
        if let compiled = known.withLock({ $0[text] }) { return compiled }
        guard text.count <= Self.sizeLimit else {
            return .failure(
                JSONSchema.Failure(
                    pointer: "", keyword: nil,
                    reason: "is \(text.count) bytes long; at most \(Self.sizeLimit) are accepted"))
        }
        do {
            return .success(try await factory.compile(source))
        } catch let failure as JSONSchema.Failure {
            return .failure(failure)
        }
    }
}

/// The schemas of a tenant, of which a server keeps so much compiled.
struct SchemaTotal {
    private static let byteLimit = 1_048_576
    private static let patternLimit = 1_000
    /// By `Pattern.weight`.
    private static let weightLimit = 200_000

    private var bytes = 0
    private var weight = JSONSchema.Weight()

    init() {}

    /// Of all APIs that a tenant has.
    init(_ apis: [ResourceServer]) {
        for source in apis.flatMap(\.authorizationDetailsTypes).compactMap(\.schemaSource) where problem == nil {
            add(source)
        }
    }

    mutating func add(_ source: JSONValue) {
        bytes += JSONWriter.bytes(source).count
        // One that cannot be used is not kept compiled.
        if bytes <= Self.byteLimit, let own = try? JSONSchema.weight(of: source) { weight += own }
    }

    /// Nil within the limits.
    var problem: String? {
        if bytes > Self.byteLimit {
            return "a tenant's schemas may have \(Self.byteLimit) bytes together; shorten them"
        }
        if weight.patterns > Self.patternLimit {
            return "a tenant's schemas may have \(Self.patternLimit) patterns together; use fewer"
        }
        if weight.instructions > Self.weightLimit {
            return "the patterns of a tenant's schemas are too large together; shorten them or their repetitions {n,m}"
        }
        return nil
    }
}
