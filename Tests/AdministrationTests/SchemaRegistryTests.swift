import Administration
import AuthorizationCore
import JSONSchema
import Primitives
import RE2Patterns
import Synchronization
import TestSupport
import Testing

@Suite("Schemas of authorization details: compiled once, off the request's thread, and within limits")
struct SchemaRegistryTests {
    private static let hurtful = "(?:(?:(?:a{0}){10000}){10000}){10000}"

    private static func schema(_ pattern: String) -> JSONValue { ["properties": ["a": ["pattern": .string(pattern)]]] }

    private static func api(_ identifier: String, _ schemas: [JSONValue]) -> ResourceServer {
        var api = ResourceServer(identifier: identifier, name: identifier)
        api.authorizationDetailsTypes = schemas.enumerated().map {
            ResourceServer.AuthorizationDetailsType(type: "t\($0)", schemaSource: $1)
        }
        return api
    }

    private static func file(_ schemas: [JSONValue]) -> String {
        let types = schemas.enumerated().map { #"{"type":"t\#($0)","schema":\#(JSONWriter.string($1))}"# }
        return """
            {"tenants": [{"id": "dev", "name": "Dev", "host": "dev.example",
                "apis": [{"identifier": "a", "authorization_details": [\(types.joined(separator: ","))]}]}]}
            """
    }

    @Test("A stored schema is compiled once, however often the configuration changes, and again when its text does")
    func once() async throws {
        let desk = try await Desk()
        try await desk.apply(Self.file([Self.schema("^a$"), Self.schema("^a$"), Self.schema("^b$")]))
        let factory = CountingFactory()
        let live = LiveDirectory(
            store: desk.store, keys: FakeKeys(), hashing: Samples.hashing, schemas: SchemaRegistry(factory))
        for index in 0..<3 {
            let name = Self.api("other\(index)", [])
            try await desk.store.change { try $0.put(name, in: TenantID("dev")) }
            #expect(try await live.refresh())
            #expect(factory.count == 2)
        }
        let changed = Self.api("a", [Self.schema("^c$")])
        try await desk.store.change { try $0.put(changed, in: TenantID("dev")) }
        _ = try await live.refresh()
        #expect(factory.count == 3)
    }

    @Test("A stored schema that cannot be used takes nothing else along, is reported once, and lets no details pass")
    func unusable() async throws {
        let desk = try await Desk()
        try await desk.apply(Self.file([Self.schema("^a$")]))
        let bad = Self.api("b", [Self.schema(Self.hurtful)])
        try await desk.store.change { try $0.put(bad, in: TenantID("dev")) }
        let problems = Mutex<[String]>([])
        let live = LiveDirectory(
            store: desk.store, keys: FakeKeys(), hashing: Samples.hashing, schemas: Samples.schemas
        ) { problem in problems.withLock { $0.append(problem) } }
        for _ in 0..<2 {
            let version = Self.api("c", [])
            try await desk.store.change { try $0.put(version, in: TenantID("dev")) }
            #expect(try await live.refresh())
        }
        #expect(problems.withLock { $0 }.count == 1)
        #expect(problems.withLock { $0 }.first?.contains("dev, b, t0") == true)
        let tenant = try #require(live.current.tenant(host: "dev.example"))
        guard case .success = tenant.resourceServers["a"]?.authorizationDetailsTypes[0].schema else {
            Issue.record("the other API's schema is there")
            return
        }
        guard case .failure = tenant.resourceServers["b"]?.authorizationDetailsTypes[0].schema else {
            Issue.record("the schema is not there")
            return
        }
    }

    @Test("A file with a schema that hurts, or that only compiling finds too large, is refused with its line")
    func hurtfulFiles() async throws {
        let desk = try await Desk()
        for pattern in [Self.hurtful, "(?:a{1000}){20}", "(?:(?:a{500}){3}b){2}"] {
            let failure = await #expect(throws: ConfigurationFile.Failure.self) {
                try await desk.apply(Self.file([Self.schema("^a$"), Self.schema(pattern)]))
            }
            #expect(failure?.lines.map(\.path) == ["tenants[0].apis[0].authorization_details[1].schema"], "\(pattern)")
            #expect(failure?.lines.first?.message.contains("too large") == true)
        }
        #expect(try await desk.part() == nil)
    }

    @Test("A schema has a size, and all of a tenant's together have patterns and bytes, that a server keeps")
    func limits() async throws {
        let desk = try await Desk()
        let long: JSONValue = ["description": .string(String(repeating: "a", count: 65_536))]
        let failure = await #expect(throws: ConfigurationFile.Failure.self) { try await desk.apply(Self.file([long])) }
        #expect(failure?.lines.first?.message.contains("65536") == true)
        func many(_ count: Int, _ pattern: String) -> JSONValue {
            var properties = JSONObject()
            for index in 0..<count { properties["p\(index)"] = ["pattern": .string(pattern)] }
            return ["properties": .object(properties)]
        }
        let patterns = (0..<11).map { many(100, "a\($0)") }
        try await desk.apply(Self.file(Array(patterns.prefix(10))))
        for (schemas, word) in [
            (patterns, "patterns"), ((0..<11).map { many(10, "a{950}\($0)") }, "too large"),
            (
                (0..<17).map { ["description": .string(String(repeating: "a", count: 65_000) + "\($0)")] },
                "bytes together"
            ),
        ] {
            let failure = await #expect(throws: ConfigurationFile.Failure.self) {
                try await desk.apply(Self.file(schemas))
            }
            #expect(failure?.lines.first?.message.contains(word) == true, "\(failure?.lines.first?.message ?? "")")
        }
        // With what other APIs have, also one that the file does not name.
        let other = try await #require(throws: ConfigurationFile.Failure.self) {
            try await desk.apply(
                Self.file([many(1, "b")]).replacing(#""identifier": "a""#, with: #""identifier": "b""#))
        }
        #expect(other.lines.map(\.path) == ["tenants[0].apis"])
        #expect(other.lines.first?.message.contains("1000 patterns together") == true)
    }
}

private final class CountingFactory: SchemaFactory {
    private let made = Mutex(0)
    private let factory = RE2SchemaFactory()

    var count: Int { made.withLock { $0 } }
    var patterns: any PatternCompiler { factory.patterns }

    func compile(_ schema: JSONValue) async throws -> JSONSchema {
        made.withLock { $0 += 1 }
        return try await factory.compile(schema)
    }
}
