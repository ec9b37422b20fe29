@testable import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import Persistence
import Primitives
import SQL
import SearchQuery
import TestSupport
import Testing

@Suite("Store contract: user search")
struct UserSearchContractTests {
    private func found(
        _ made: TemporaryStore, _ query: String?, sort: String? = nil, tenant: TenantID = LoginSamples.tenant
    ) async throws -> [String] {
        try await SearchUsers(store: made.store, limit: .seconds(60)).search(
            SearchUsers.Request(query: query, sort: sort, part: .page(0, size: 100)), tenant: tenant
        ).users.map(\.user.id.rawValue)
    }

    private func put(
        _ made: TemporaryStore, _ id: String, _ metadata: UserMetadata = UserMetadata(),
        _ change: @Sendable (inout User) -> Void = { _ in }
    ) async throws {
        let user = Samples.user(id, change)
        try await made.store.change { transaction in
            try transaction.put(user, passwordHash: nil, in: LoginSamples.tenant)
            try transaction.put(metadata, of: user.id, in: LoginSamples.tenant)
        }
    }

    @Test(
        "Search finds new and changed users at once, from every source, and only in their tenant",
        arguments: StoreKind.all)
    func fresh(kind: StoreKind) async throws {
        let made = try await kind.populated()
        var user = Samples.user("auth0|eve") { $0.email = "eve@a.example" }
        #expect(
            try await made.store.signUp(
                user, passwordHash: "h", verification: nil, tenant: LoginSamples.tenant,
                events: [LoginSamples.event(.signedUp)]))
        #expect(try await found(made, "email:EVE@a.example") == ["auth0|eve"])
        #expect(try await found(made, "email:eve@a.example", tenant: LoginSamples.other) == [])
        let identity = UpstreamIdentity(provider: "github", id: "7")
        user = Samples.user("github|7") { $0.name = "Zoë" }
        try await made.store.keep(
            user, identity: identity, tenant: LoginSamples.tenant, event: LoginSamples.event(.loggedIn))
        #expect(try await found(made, "name:ZOË") == ["github|7"])
        user.name = "Other"
        try await made.store.keep(
            user, identity: identity, tenant: LoginSamples.tenant, event: LoginSamples.event(.loggedIn))
        #expect(try await found(made, "name:zoë") == [])
        #expect(try await found(made, "name:other") == ["github|7"])
        try await made.loggedIn()
        #expect(try await found(made, "logins_count:1") == ["auth0|ann"])
        try await made.give(LoginSamples.ticket(user: UserID("auth0|eve"), email: "eve@a.example"))
        #expect(try await found(made, "email_verified:true") == [])
        #expect(
            try await made.store.setPassword(
                "new", ticket: LoginSamples.hash("ticket"), forgiving: nil, tenant: LoginSamples.tenant,
                now: LoginSamples.start + .seconds(1), event: LoginSamples.event(.passwordChanged), notice: { _ in nil }
            ))
        #expect(try await found(made, "email_verified:true") == ["auth0|eve"])
        #expect(try await found(made, "_exists_:email") == ["auth0|eve"])
        try await made.delete(UserID("auth0|eve"))
        #expect(try await found(made, "_exists_:email") == [])
        #expect(try await found(made, nil, tenant: LoginSamples.other) == ["auth0|ann", "auth0|bob"])
    }

    @Test("Beyond Auth0: short wildcards and ranges, also on user_metadata", arguments: StoreKind.all)
    func unrestricted(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await put(made, "auth0|eve", UserMetadata(user: ["age": 31, "town": "Bern", "seen": "2024-02-03"])) {
            $0.name = "Eve"
        }
        for query in [
            "name:e*", "name:*e", "name:?v?", "user_metadata.town:*er*", "user_metadata.town:B???",
            "user_metadata.age:[30 TO 31]", "user_metadata.age:{30 TO *]",
            "user_metadata.seen:[2024-02-01 TO 2024-03-01]",
            "user_metadata.town:{Ber TO *]", "user_metadata.age:31", "user_metadata.age:\"31.0\"",
        ] {
            #expect(try await found(made, query) == ["auth0|eve"], "\(query)")
        }
        for query in [
            "user_metadata.town:bern", "user_metadata.age:[32 TO *]", "Bern", "user_metadata.age:3*", "name:v",
            "user_metadata.town.x:Bern",
        ] {
            #expect(try await found(made, query) == [], "\(query)")
        }
        #expect(try await found(made, "NOT user_metadata.town:Bern") == ["auth0|ann", "auth0|bob"])
    }

    @Test("Metadata paths ignore arrays and dots in names", arguments: StoreKind.all)
    func arrays(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await put(
            made, "auth0|eve",
            UserMetadata(
                user: ["addresses": [["city": "Paris"], ["city": "Rome", "a.b": [[1]]]], "empty": [], "none": nil],
                app: ["plan": ["name": "gold"], "on": true]))
        for query in [
            "user_metadata.addresses.city:Paris", "user_metadata.addresses.city:Rome", "user_metadata.addresses.a.b:1",
            "_exists_:user_metadata.addresses", "gold", "app_metadata.on:true",
            "app_metadata.plan.name:(silver OR gold)",
            "_exists_:app_metadata", "user_metadata.addresses.city:*",
        ] {
            #expect(try await found(made, query) == ["auth0|eve"], "\(query)")
        }
        for query in [
            "_exists_:user_metadata.empty", "_exists_:user_metadata.none", "Paris", "_exists_:app_metadata.pla",
        ] {
            #expect(try await found(made, query) == [], "\(query)")
        }
    }

    @Test(
        "Values and names of any length are stored and found, which no index could hold whole", arguments: StoreKind.all
    )
    func long(kind: StoreKind) async throws {
        let made = try await kind.populated()
        // Nothing that an engine could compress.
        var state: UInt64 = 7
        let letters = (0..<8000).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(97 + (state >> 33) % 26)
        }
        let text = String(decoding: letters, as: UTF8.self)
        let (name, long) = (String(text.prefix(900)), String(text.prefix(1000)))
        try await put(made, "auth0|eve", UserMetadata(user: [name: "short"], app: ["note": .string(text)]))
        try await put(made, "auth0|dan", UserMetadata(user: [name + "x": "short"], app: ["note": .string(long)]))
        for (query, users) in [
            ("app_metadata.note:\(long)", ["auth0|dan"]), ("app_metadata.note:\(long)*", ["auth0|dan", "auth0|eve"]),
            ("app_metadata.note:\(text.prefix(1001))*", ["auth0|eve"]), (long, ["auth0|dan"]),
            ("user_metadata.\(name):short", ["auth0|eve"]), ("_exists_:user_metadata.\(name)x", ["auth0|dan"]),
            ("app_metadata.note:{\(text.prefix(400)) TO \(long)]", ["auth0|dan"]),
        ] {
            #expect(try await found(made, query).sorted() == users, "\(query.prefix(40))")
        }
    }

    @Test("Identities include linked ones", arguments: StoreKind.all)
    func identities(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await put(made, "github|7")
        _ = try await made.store.link(
            UpstreamIdentity(provider: "corp", id: "9"), to: LoginSamples.ann, tenant: LoginSamples.tenant,
            event: LoginSamples.event(.identityLinked))
        #expect(try await found(made, "identities.provider:auth0") == ["auth0|ann", "auth0|bob"])
        #expect(try await found(made, "identities.connection:Username-Password-Authentication").count == 2)
        #expect(try await found(made, "identities.connection:corp") == ["auth0|ann"])
        #expect(try await found(made, "identities.user_id:(7 OR 9)") == ["auth0|ann", "github|7"])
        #expect(try await found(made, "NOT identities.connection:(corp OR github)") == ["auth0|bob"])
    }

    @Test(
        "A value is never read as SQL or as a pattern", arguments: StoreKind.all,
        [
            "' OR '1'='1", "'; DROP TABLE \"user\"; --", "\") OR 1=1 --", "$1", "?1", ":a", "%", "_", "[a-z]", "[^x]",
            "\\",
            "/* */", "auth0|ann' --",
        ])
    func injection(kind: StoreKind, text: String) async throws {
        let made = try await kind.populated()
        var escaped = ""
        for character in text { escaped += (character == "\"" || character == "\\" ? "\\" : "") + String(character) }
        let value = "\"\(escaped)\""
        let pattern = text.map { "\\\($0)" }.joined()
        let fields = UserQuery.TextField.allCases.map(\.rawValue) + ["user_metadata.a", "app_metadata.a"]
        for field in fields + ["user_metadata.\(pattern)"] {
            for written in [value, "*\(pattern)*", "[\(value) TO \(value)]", "(\(value) AND \(pattern)?)"] {
                #expect(try await found(made, "\(field):\(written)") == [], "\(field):\(written)")
            }
        }
        #expect(try await found(made, value) == [])
        try await put(made, "auth0|eve", UserMetadata(app: ["a": .string(text)])) { $0.name = text }
        for query in ["name:\(value)", "name:*\(pattern)", "name:\(pattern)*", "app_metadata.a:*\(pattern)*", value] {
            #expect(try await found(made, query) == ["auth0|eve"], "\(query)")
        }
        #expect(try await made.database.count("user") == 5)
    }

    @Test(
        "Users without the sort key come last; cursors stay valid when users are added and removed",
        arguments: StoreKind.all)
    func paging(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for name in ["C", "a", "B"] { try await put(made, "auth0|\(name)") { $0.name = name } }
        #expect(
            try await found(made, nil, sort: "name:1") == ["auth0|a", "auth0|B", "auth0|C", "auth0|ann", "auth0|bob"])
        #expect(
            try await found(made, nil, sort: "name:-1") == ["auth0|C", "auth0|B", "auth0|a", "auth0|bob", "auth0|ann"])
        let search = SearchUsers(store: made.store, limit: .seconds(60))
        func part(_ from: String?) async throws -> UserSearchResult {
            try await search.search(
                SearchUsers.Request(query: nil, sort: "name:1", part: .following(from, count: 2)),
                tenant: LoginSamples.tenant)
        }
        let first = try await part(nil)
        #expect(first.users.map(\.user.name) == ["a", "B"])
        try await made.delete(UserID("auth0|B"))
        try await put(made, "auth0|A0") { $0.name = "A0" }
        let second = try await part(first.next?.opaque)
        #expect(second.users.map(\.user.id.rawValue) == ["auth0|C", "auth0|ann"])
        let third = try await part(second.next?.opaque)
        #expect(third.users.map(\.user.id.rawValue) == ["auth0|bob"])
        #expect(third.next == nil)
    }

    @Test("A page beyond the end is empty, and the total counts all matching users", arguments: StoreKind.all)
    func totals(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for index in 0..<7 { try await put(made, "auth0|\(index)") { $0.blocked = index < 5 } }
        let search = SearchUsers(store: made.store, limit: .seconds(60))
        func page(_ page: Int, sort: String?) async throws -> UserSearchResult {
            try await search.search(
                SearchUsers.Request(query: "blocked:true", sort: sort, part: .page(page, size: 2), countsTotal: true),
                tenant: LoginSamples.tenant)
        }
        for sort in [nil, "name:1", "created_at:-1"] {
            #expect(try await page(0, sort: sort).users.count == 2)
            #expect(try await page(2, sort: sort).users.count == 1)
            let beyond = try await page(3, sort: sort)
            #expect(beyond == UserSearchResult(users: [], total: 5, next: nil))
        }
    }

    @Test("A search that takes too long ends with a transient error", arguments: StoreKind.all)
    func limit(kind: StoreKind) async throws {
        let made = try await kind.populated()
        do {
            _ = try await made.store.search(UserSearch(), tenant: LoginSamples.tenant, within: .zero)
            Issue.record("it took no time")
        } catch {
            #expect((error as? any TransientError)?.isTransient == true)
        }
    }

    @Test(
        "A query of maximum length and depth ends in time", .timeLimit(.minutes(5)),
        arguments: StoreKind.all)
    func largest(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for term in ["auth0|bob", "a*b", "app_metadata.a:1", "-x", "+a*"] {
            let many = Array(repeating: term, count: QuerySyntax.termLimit)
            for separator in [" ", " AND ", " OR "] {
                _ = try await found(made, many.joined(separator: separator))
            }
        }
        func nested(_ open: String, _ inner: String, _ close: String, _ count: Int) -> String {
            String(repeating: open, count: count) + inner + String(repeating: close, count: count)
        }
        for (open, units) in [
            ("a OR b AND (", 1), ("a b AND -(", 2), ("a AND (b OR ", 1), ("email:a OR name:b AND NOT (", 2),
        ] {
            let query = nested(open, "auth0|bob", ")", QuerySyntax.depthLimit / units)
            _ = try await found(made, query)
        }
        #expect(try await found(made, nested("-(x OR -(", "auth0|bob", "))", 2)) == ["auth0|bob"])
    }

    @Test("Patterns with many wildcards end in time", .timeLimit(.minutes(5)), arguments: StoreKind.all)
    func evilPatterns(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let text = String(repeating: "a", count: 20_000)
        try await put(made, "auth0|eve", UserMetadata(user: ["text": .string(text)]))
        let pattern = String(repeating: "*a", count: 2000)
        #expect(try await found(made, "user_metadata.text:\(pattern)b") == [])
        #expect(try await found(made, "user_metadata.text:\(pattern)*") == ["auth0|eve"])
    }
}
