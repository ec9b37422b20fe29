package import AuthorizationCore
package import JSONSchema
package import Primitives
import Synchronization

/// Compiles schemas of authorization details, each text once while the configuration has it.
package final class SchemaRegistry: Sendable {
    package typealias Compiled = Result<JSONSchema, JSONSchema.Failure>

    /// Keyed by bytes: texts that only look alike are different schemas.
    private struct Known {
        /// In the configuration.
        var stored: [[UInt8]: Compiled] = [:]
        /// Recently checked schemas that may soon be stored: at most what a tenant may have.
        var checked: [[UInt8]: Compiled] = [:]
        var checkedTotal = SchemaTotal()

        subscript(text: [UInt8]) -> Compiled? { stored[text] ?? checked[text] }

        mutating func keep(_ compiled: Compiled, _ text: [UInt8], for purpose: SchemaPurpose) {
            switch purpose {
            case .use: stored[text] = compiled
            case .check:
                guard self[text] == nil else { return }
                checkedTotal.add(bytes: text.count)
                checkedTotal.add(SchemaWeights.weight(of: compiled))
                if checkedTotal.problem != nil {
                    checked = [:]
                    checkedTotal = SchemaTotal()
                }
                checked[text] = compiled
            }
        }
    }

    private let factory: any SchemaFactory
    private let known = Mutex(Known())

    package init(_ factory: any SchemaFactory) { self.factory = factory }

    /// For this program's own schemas.
    package var patterns: any PatternCompiler { factory.patterns }

    /// Adds compiled schemas and discards those of earlier configurations. `isComplete` is false if a schema could not
    /// be compiled now: its type has none, and a retry is useful.
    package func compile(
        _ tenants: [StoredTenant], problem: (String) -> Void
    ) async -> (tenants: [StoredTenant], isComplete: Bool) {
        var tenants = tenants
        var isComplete = true
        var used: [[UInt8]: Compiled] = [:]
        for tenant in tenants.indices {
            for api in tenants[tenant].resourceServers.indices {
                var types = tenants[tenant].resourceServers[api].authorizationDetailsTypes
                for index in types.indices {
                    guard let source = types[index].schemaSource else { continue }
                    let text = JSONWriter.bytes(source)
                    let isNew = used[text] == nil && known.withLock { $0.stored[text] == nil }
                    let names = (
                        tenants[tenant].tenant.id,
                        tenants[tenant].resourceServers[api].identifier, types[index].type
                    )
                    do {
                        let compiled =
                            if let compiled = used[text] { compiled } else {
                                try await compile(source, text, for: .use)
                            }
                        used[text] = compiled
                        types[index].schema = compiled
                        if isNew, case .failure(let failure) = compiled {
                            problem("\(names.0), \(names.1), \(names.2): the schema cannot be used, \(failure)")
                        }
                    } catch {
                        isComplete = false
                        problem("\(names.0), \(names.1), \(names.2): the schema is not compiled yet, \(error)")
                    }
                }
                tenants[tenant].resourceServers[api].authorizationDetailsTypes = types
            }
        }
        let current = used
        known.withLock { $0.stored = current }
        return (tenants, isComplete)
    }

    /// Returns problems and weights of the schemas in `types`, an API's `authorization_details`. Throws
    /// `SchemaFactoryBusy`.
    package func check(
        _ types: JSONValue?, path: String
    ) async throws -> (problems: [DocumentProblem], weights: SchemaWeights) {
        var problems: [DocumentProblem] = []
        var weights = SchemaWeights()
        var total = SchemaTotal()
        for (index, type) in (types?.arrayValue ?? []).enumerated() {
            guard let source = type["schema"], !source.isNull else { continue }
            let text = JSONWriter.bytes(source)
            // One request compiles at most one schema more than a tenant may store.
            total.add(bytes: text.count)
            if total.problem == nil {
                let compiled = try await compile(source, text, for: .check)
                weights.add(compiled, text)
                total.add(SchemaWeights.weight(of: compiled))
                if let failure = Self.fault(of: source, compiled, type["type"]?.stringValue) {
                    problems.append(DocumentProblem(path: "\(path)[\(index)].schema", message: failure.description))
                }
            }
            if let problem = total.problem {
                return (problems + [DocumentProblem(path: path, message: problem)], weights)
            }
        }
        return (problems, weights)
    }

    /// Why a new type cannot have the schema. Stored schemas are not checked so, and stay in use.
    private static func fault(of source: JSONValue, _ compiled: Compiled, _ type: String?) -> JSONSchema.Failure? {
        switch compiled {
        case .failure(let failure): failure
        case .success(let schema):
            schema.unusable
                ?? type.flatMap {
                    SchemaContradiction.find(in: source, schema, objectsWith: ["type": .string($0)])
                }
        }
    }

    /// Weights of stored APIs' schemas. Throws `SchemaFactoryBusy`.
    package func weights(of apis: [ResourceServer]) async throws -> SchemaWeights {
        var weights = SchemaWeights()
        for source in apis.flatMap(\.authorizationDetailsTypes).compactMap(\.schemaSource) {
            let text = JSONWriter.bytes(source)
            weights.add(try await compile(source, text, for: .check), text)
        }
        return weights
    }

    /// Nil if the size is accepted. A larger text is not read as a schema.
    package static func sizeFailure(_ text: [UInt8]) -> JSONSchema.Failure? {
        let limit = 65_536
        guard text.count > limit else { return nil }
        return JSONSchema.Failure(
            pointer: "", keyword: nil, reason: "is \(text.count) bytes long; at most \(limit) are accepted")
    }

    private func compile(_ source: JSONValue, _ text: [UInt8], for purpose: SchemaPurpose) async throws -> Compiled {
        if let failure = Self.sizeFailure(text) { return .failure(failure) }
        let compiled: Compiled
        if let found = known.withLock({ $0[text] }) {
            compiled = found
        } else {
            do {
                compiled = .success(try await factory.compile(source, for: purpose))
            } catch let failure as JSONSchema.Failure {
                compiled = .failure(failure)
            }
        }
        // Stored at once, so that no other task compiles it again.
        known.withLock { $0.keep(compiled, text, for: purpose) }
        return compiled
    }
}

/// Weights of schemas, computed before a transaction, so that the writing thread only adds numbers.
package struct SchemaWeights: Sendable {
    private var byText: [[UInt8]: JSONSchema.Weight] = [:]

    /// A schema that cannot be used weighs nothing: it is not kept.
    package static func weight(of compiled: SchemaRegistry.Compiled) -> JSONSchema.Weight {
        switch compiled {
        case .success(let schema): schema.weight
        case .failure: JSONSchema.Weight()
        }
    }

    package mutating func add(_ compiled: SchemaRegistry.Compiled, _ text: [UInt8]) {
        byText[text] = Self.weight(of: compiled)
    }

    package mutating func add(_ other: SchemaWeights) { byText.merge(other.byText) { $1 } }

    /// Why a tenant cannot have these APIs. Nil means it can. Throws `SchemaFactoryBusy` for a schema stored after the
    /// weights were computed.
    package func problem(of apis: [ResourceServer]) throws(SchemaFactoryBusy) -> String? {
        var total = SchemaTotal()
        for source in apis.flatMap(\.authorizationDetailsTypes).compactMap(\.schemaSource) where total.problem == nil {
            let text = JSONWriter.bytes(source)
            guard let weight = byText[text] else { throw SchemaFactoryBusy() }
            total.add(bytes: text.count)
            total.add(weight)
        }
        return total.problem
    }
}

/// Total size of a tenant's schemas, which servers keep compiled.
private struct SchemaTotal {
    private static let byteLimit = 1_048_576
    private static let patternLimit = 1_000
    /// By `Pattern.weight`.
    private static let weightLimit = 200_000

    private var bytes = 0
    private var weight = JSONSchema.Weight()

    mutating func add(bytes more: Int) { bytes += more }

    mutating func add(_ more: JSONSchema.Weight) { weight += more }

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
