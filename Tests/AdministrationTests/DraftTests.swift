import Audit
import AuthorizationCore
import Configuration
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Drafts of a tenant's configuration")
struct DraftTests {
    private static let tenant = TenantID("dev")
    private static let context = AdministrativeContext(tenant: tenant, actor: .account("jo"), now: Samples.start)

    private static let text = """
        {"tenants": [{"id": "dev", "name": "Dev", "host": "dev.example",
            "apis": [{"identifier": "https://api.example/", "scopes": [{"value": "read"}]}],
            "roles": [{"id": "rol_a", "name": "A"}, {"id": "rol_b", "name": "B"}],
            "users": [{"user_id": "auth0|ann", "email": "ann@dev.example"}]}]}
        """

    private func fixture() async throws -> (AdministrationFixture, WatchedStore) {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.text)
        return (fixture, WatchedStore(wrapped: fixture.store))
    }

    @Test("A change reads the objects that it asks for, and no others of their kind")
    func reads() async throws {
        let (_, store) = try await fixture()
        try await store.edit(for: Self.context) { change in
            var role = try #require(try change.draft.find(Role.self, "rol_a"))
            role.name = "Other"
            change.draft.put(role)
        }
        #expect(store.parts == [[.object(.role, id: "rol_a")]])
        #expect(try await store.view(Self.tenant) { try $0.all(Role.self).map(\.name) } == ["Other", "B"])
        #expect(store.parts.last == [.kind(.role)])
    }

    @Test("A change that somebody else overtakes runs again over what they wrote, and is recorded once")
    func conflict() async throws {
        let (fixture, store) = try await fixture()
        let entries = try await fixture.made.database.auditLog().count
        store.interrupt {
            try await fixture.store.edit(for: Self.context) { change in
                change.draft.put(Role(id: RoleID("rol_c"), name: "C", description: "", permissions: []))
            }
        }
        let seen = try await store.edit(for: Self.context) { change in
            let names = try change.draft.all(Role.self).map(\.name)
            change.draft.put(Role(id: RoleID("rol_d"), name: "D", description: "", permissions: []))
            change.record(.created, .role, "rol_d")
            return names
        }
        #expect(seen == ["A", "B", "C"])
        #expect(try await fixture.part()?.roles.map(\.name) == ["A", "B", "C", "D"])
        #expect(try await fixture.made.database.auditLog().count == entries + 1)
    }

    @Test("A draft shows what was put and removed in it, and changes nothing until it is written")
    func value() async throws {
        let (fixture, store) = try await fixture()
        let version = try await store.version()
        let draft = try await store.view(Self.tenant) { draft in
            _ = try draft.all(Role.self)
            return draft
        }
        var changed = draft
        changed.remove(.role, "rol_a", now: Samples.start)
        changed.put(Role(id: RoleID("rol_0"), name: "0", description: "", permissions: []))
        #expect(try changed.all(Role.self).map(\.id.rawValue) == ["rol_0", "rol_b"])
        #expect(try changed.find(Role.self, "rol_a") == nil)
        #expect(try draft.all(Role.self).map(\.id.rawValue) == ["rol_a", "rol_b"])
        #expect(changed.changes.count == 2 && draft.changes.isEmpty)
        #expect(throws: Draft.Missing.self) { try changed.all(Client.self) }
        #expect(try await fixture.part()?.roles.count == 2)
        #expect(try await store.version() == version)
    }

    @Test("A change that fails writes nothing, and one that changes nothing leaves the version alone")
    func nothing() async throws {
        struct Refused: Error {}
        let (fixture, store) = try await fixture()
        let version = try await store.version()
        await #expect(throws: Refused.self) {
            try await store.edit(for: Self.context) { change in
                change.draft.put(Role(id: RoleID("rol_c"), name: "C", description: "", permissions: []))
                throw Refused()
            }
        }
        try await store.edit(for: Self.context) { _ = try $0.draft.all(Role.self) }
        #expect(try await fixture.part()?.roles.count == 2)
        #expect(try await store.version() == version)
    }

    @Test("A dry run reports what apply would change, and writes nothing")
    func dryRun() async throws {
        let (fixture, store) = try await fixture()
        let changed = try file(
            Self.text.replacing("ann@dev.example", with: "ann@other.example").replacing("rol_b", with: "rol_c"))
        func apply(dryRun: Bool) async throws -> [ApplyConfiguration.Change] {
            try await fixture.apply.apply(
                changed, prune: true, dryRun: dryRun, by: .account("jo"), now: Samples.start)
        }
        let entries = try await fixture.made.database.auditLog().count
        let version = try await store.version()
        let reported = try await apply(dryRun: true)
        #expect(Set(reported.map(\.action)) == [.created, .changed, .removed, .unchanged])
        #expect(try await store.version() == version)
        #expect(try await fixture.made.database.auditLog().count == entries)
        #expect(try await fixture.user("auth0|ann")?.email == "ann@dev.example")
        #expect(try await apply(dryRun: false) == reported)
        #expect(try await fixture.user("auth0|ann")?.email == "ann@other.example")
    }
}

/// Notes what is read, and lets somebody else change the configuration before the next commit.
private final class WatchedStore: ConfigurationStore {
    private struct State {
        var parts: [Set<ConfigurationPart>] = []
        var interruption: (@Sendable () async throws -> Void)?
    }

    private let wrapped: any ConfigurationStore
    private let state = Mutex(State())

    init(wrapped: any ConfigurationStore) { self.wrapped = wrapped }

    var parts: [Set<ConfigurationPart>] { state.withLock { $0.parts } }

    func interrupt(by body: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.interruption = body }
    }

    func version() async throws -> Int64 { try await wrapped.version() }

    func objects(_ parts: Set<ConfigurationPart>, of tenant: TenantID?) async throws -> [ConfigurationObjects] {
        state.withLock { $0.parts.append(parts) }
        return try await wrapped.objects(parts, of: tenant)
    }

    func commit(_ commit: ConfigurationCommit, ifVersion version: Int64?) async throws -> [[UInt8]]? {
        let interruption = state.withLock { state in
            defer { state.interruption = nil }
            return state.interruption
        }
        try await interruption?()
        return try await wrapped.commit(commit, ifVersion: version)
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any UserReader) throws -> Result
    ) async throws -> Result { try await wrapped.read(body) }

    func change<Result: Sendable>(
        _ body: @escaping @Sendable (any UserTransaction) throws -> Result
    ) async throws -> Result { try await wrapped.change(body) }
}
