import Audit
@testable import Administration
import AuthorizationCore
import Configuration
import JSONSchema
import Primitives
import RE2Patterns
import Synchronization
import TestSupport
import Testing

@Suite("Schemas of authorization details: compiled once, off the request's thread, within limits")
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

    @Test("A stored schema is compiled once for all configuration changes, and again if its text changes")
    func once() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.file([Self.schema("^a$"), Self.schema("^a$"), Self.schema("^b$")]))
        let factory = CountingFactory()
        let live = ConfigurationCache(
            store: fixture.store, keys: FakeKeys(), hashing: Samples.hashing, sealer: Samples.sealer,
            schemas: SchemaRegistry(factory))
        for index in 0..<3 {
            let name = Self.api("other\(index)", [])
            try await fixture.store.change { try $0.put(name, in: TenantID("dev")) }
            #expect(try await live.refresh())
            #expect(factory.count == 2)
        }
        let changed = Self.api("a", [Self.schema("^c$")])
        try await fixture.store.change { try $0.put(changed, in: TenantID("dev")) }
        _ = try await live.refresh()
        #expect(factory.count == 3)
    }

    @Test("An unusable stored schema affects no other, is reported once, and lets no details pass")
    func unusable() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.file([Self.schema("^a$")]))
        let bad = Self.api("b", [Self.schema(Self.hurtful)])
        try await fixture.store.change { try $0.put(bad, in: TenantID("dev")) }
        let problems = Mutex<[String]>([])
        let live = ConfigurationCache(
            store: fixture.store, keys: FakeKeys(), hashing: Samples.hashing, sealer: Samples.sealer,
            schemas: Samples.schemas
        ) { problem in problems.withLock { $0.append(problem) } }
        for _ in 0..<2 {
            let version = Self.api("c", [])
            try await fixture.store.change { try $0.put(version, in: TenantID("dev")) }
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

    @Test("A file with a harmful schema, or one that compilation finds too large, is refused with its line")
    func hurtfulFiles() async throws {
        let fixture = try await AdministrationFixture()
        for pattern in [Self.hurtful, "(?:a{1000}){20}", "(?:(?:a{500}){3}b){2}"] {
            let failure = await #expect(throws: ConfigurationFile.Failure.self) {
                try await fixture.apply(Self.file([Self.schema("^a$"), Self.schema(pattern)]))
            }
            #expect(failure?.lines.map(\.path) == ["tenants[0].apis[0].authorization_details[1].schema"], "\(pattern)")
            #expect(failure?.lines.first?.message.contains("too large") == true)
        }
        #expect(try await fixture.part() == nil)
    }

    @Test("Limits: the size of a schema, and the patterns and bytes of a tenant's schemas together")
    func limits() async throws {
        let fixture = try await AdministrationFixture()
        let long: JSONValue = ["description": .string(String(repeating: "a", count: 65_536))]
        let failure = await #expect(throws: ConfigurationFile.Failure.self) {
            try await fixture.apply(Self.file([long]))
        }
        #expect(failure?.lines.first?.message.contains("65536") == true)
        func many(_ count: Int, _ pattern: String) -> JSONValue {
            var properties = JSONObject()
            for index in 0..<count { properties["p\(index)"] = ["pattern": .string(pattern)] }
            return ["properties": .object(properties)]
        }
        let patterns = (0..<11).map { many(100, "a\($0)") }
        try await fixture.apply(Self.file(Array(patterns.prefix(10))))
        for (schemas, word) in [
            (patterns, "patterns"), ((0..<11).map { many(10, "a{950}\($0)") }, "too large"),
            (
                (0..<17).map { ["description": .string(String(repeating: "a", count: 65_000) + "\($0)")] },
                "bytes together"
            ),
        ] {
            let failure = await #expect(throws: ConfigurationFile.Failure.self) {
                try await fixture.apply(Self.file(schemas))
            }
            #expect(failure?.lines.first?.message.contains(word) == true, "\(failure?.lines.first?.message ?? "")")
        }
        // Includes stored APIs that the file does not name.
        let other = try await #require(throws: ConfigurationFile.Failure.self) {
            try await fixture.apply(
                Self.file([many(1, "b")]).replacing(#""identifier": "a""#, with: #""identifier": "b""#))
        }
        #expect(other.lines.map(\.path) == ["tenants[0].apis"])
        #expect(other.lines.first?.message.contains("1000 patterns together") == true)
    }
}

extension SchemaRegistryTests {
    private static func document(_ api: String, _ schemas: [JSONValue]) -> JSONObject {
        [
            "identifier": .string(api),
            "authorization_details": .array(
                schemas.enumerated().map { ["type": .string("t\($0)"), "schema": $1] }),
        ]
    }

    private static let context = AdministrativeContext(
        tenant: TenantID("dev"), actor: .account("jo"), remoteAddress: "192.0.2.1", now: Samples.start)

    private func manage(_ fixture: AdministrationFixture, _ registry: SchemaRegistry) -> ManageResourceServers {
        ManageResourceServers(
            store: fixture.store, ids: ObjectIDs(hashing: Samples.hashing), keys: SigningKeySupply(FakeKeys()),
            schemas: registry)
    }

    @Test("An oversized schema is refused before it is parsed")
    func size() async throws {
        let fixture = try await AdministrationFixture()
        let long: JSONValue = ["title": .string(String(repeating: "a", count: 65_536)), "unknown": true]
        let failure = await #expect(throws: ConfigurationFile.Failure.self) {
            try await fixture.apply(Self.file([long]))
        }
        #expect(failure?.lines.map(\.message).allSatisfy { $0.contains("65536") } == true)
        let factory = CountingFactory()
        try await fixture.apply(Self.file([]))
        let manage = manage(fixture, SchemaRegistry(factory))
        let refusal = await #expect(throws: AdministrationFailure.self) {
            _ = try await manage.create(
                Self.document("b", [long]), of: Samples.tenant(), for: Self.context)
        }
        #expect("\(try #require(refusal))".contains("65536"))
        #expect(factory.count == 0)
    }

    @Test("A checked schema is not compiled again when it is used")
    func checkedOnce() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.file([Self.schema("^a$")]))
        let factory = CountingFactory()
        let registry = SchemaRegistry(factory)
        let live = ConfigurationCache(
            store: fixture.store, keys: FakeKeys(), hashing: Samples.hashing, sealer: Samples.sealer, schemas: registry)
        _ = try await live.refresh()
        #expect(factory.count == 1)
        _ = try await manage(fixture, registry).create(
            Self.document("b", [Self.schema("^b$")]), of: Samples.tenant(), for: Self.context)
        #expect(factory.count == 2)
        _ = try await live.refresh()
        #expect(factory.count == 2)
    }

    @Test("Schemas are weighed before the transaction; a schema stored meanwhile fails it, and a retry succeeds")
    func meanwhile() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.file([Self.schema("^a$")]))
        let later = Self.api("c", [Self.schema("^c$")])
        let factory = CountingFactory { schema in
            guard schema == Self.schema("^a$") else { return }
            try await fixture.store.change { try $0.put(later, in: TenantID("dev")) }
        }
        let manage = manage(fixture, SchemaRegistry(factory))
        let document = Self.document("b", [Self.schema("^b$")])
        await #expect(throws: SchemaFactoryBusy.self) {
            _ = try await manage.create(document, of: Samples.tenant(), for: Self.context)
        }
        #expect(try await fixture.part()?.resourceServers.map(\.identifier).sorted() == ["a", "c"])
        _ = try await manage.create(document, of: Samples.tenant(), for: Self.context)
        #expect(factory.count == 3)
    }

    @Test("A schema that cannot be compiled now blocks no change and is retried")
    func busy() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.file([Self.schema("^a$"), Self.schema("^b$")]))
        let isBusy = Mutex(true)
        let factory = CountingFactory { schema in
            if schema == Self.schema("^a$"), isBusy.withLock({ $0 }) { throw SchemaFactoryBusy() }
        }
        let live = ConfigurationCache(
            store: fixture.store, keys: FakeKeys(), hashing: Samples.hashing, sealer: Samples.sealer,
            schemas: SchemaRegistry(factory))
        #expect(try await live.refresh())
        func types() throws -> [ResourceServer.AuthorizationDetailsType] {
            let tenant = try #require(live.current.tenant(host: "dev.example"))
            return try #require(tenant.resourceServers["a"]).authorizationDetailsTypes
        }
        #expect(try types().map { $0.schema == nil } == [true, false])
        isBusy.withLock { $0 = false }
        #expect(try await live.refresh())
        #expect(try types().map { $0.schema == nil } == [false, false])
        #expect(try await live.refresh() == false)
        #expect(factory.count == 2)
    }

    @Test("A stored schema is compiled however many schemas are being checked")
    func purposes() async throws {
        let factory = RE2SchemaFactory(queueLimit: 0)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask { _ = try? await factory.compile(Self.schema("a{900}\(index)"), for: .check) }
                group.addTask {
                    await #expect(throws: Never.self) {
                        _ = try await factory.compile(Self.schema("a{900}\(index)"), for: .use)
                    }
                }
            }
        }
    }
}

private final class CountingFactory: SchemaFactory {
    private let made = Mutex(0)
    private let factory = RE2SchemaFactory()
    private let before: @Sendable (JSONValue) async throws -> Void

    /// Calls `before` first.
    init(_ before: @escaping @Sendable (JSONValue) async throws -> Void = { _ in }) { self.before = before }

    var count: Int { made.withLock { $0 } }
    var patterns: any PatternCompiler { factory.patterns }

    func compile(_ schema: JSONValue, for purpose: SchemaPurpose) async throws -> JSONSchema {
        try await before(schema)
        made.withLock { $0 += 1 }
        return try await factory.compile(schema, for: purpose)
    }
}
