import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: user records")
struct UserRecordContractTests {
    private static let metadata = UserMetadata(
        user: ["theme": "dark", "tags": ["a", "b", ["c"]]],
        app: ["plan": ["name": "gold", "seats": 5], "trial": false, "none": nil])

    private func record(_ made: TemporaryStore, _ user: UserID = LoginSamples.ann) async throws -> UserRecord {
        try #require(try await made.store.record(of: user, tenant: LoginSamples.tenant))
    }

    @Test("A user's further fields are stored unchanged", arguments: StoreKind.all)
    func fields(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let user = Samples.user { user in
            user.username = "ann"
            user.phoneNumber = "+41791234567"
            user.phoneVerified = true
            user.permissions = [
                Role.Permission(resourceServer: Samples.api, scope: "pay:read"),
                Role.Permission(resourceServer: "https://\"odd\" api/", scope: "all"),
            ]
        }
        try await made.store.change { try $0.put(user, passwordHash: nil, in: LoginSamples.tenant) }
        #expect(try await made.store.account(LoginSamples.ann, tenant: LoginSamples.tenant)?.user == user)
        let expected = UserRecord(
            user: user, metadata: UserMetadata(), activity: UserActivity(), identities: [UserIdentity(of: user)])
        #expect(try await record(made) == expected)
        #expect(try await made.store.record(of: UserID("auth0|gone"), tenant: LoginSamples.tenant) == nil)
        #expect(try await made.store.record(of: LoginSamples.ann, tenant: LoginSamples.other)?.user.username == nil)
    }

    @Test("A username is unique in the database connection", arguments: StoreKind.all)
    func usernames(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func put(_ id: String) async throws {
            try await made.store.change { transaction in
                try transaction.put(
                    Samples.user(id) { $0.username = "ann" }, passwordHash: nil, in: LoginSamples.tenant)
            }
        }
        try await put("auth0|ann")
        try await put("github|ann")
        await #expect(throws: SQLError.self) { try await put("auth0|bob") }
        let owners = try await made.store.change { transaction in
            [
                try transaction.user(username: "ann", in: LoginSamples.tenant),
                try transaction.user(username: "bob", in: LoginSamples.tenant),
                try transaction.user(username: "ann", in: LoginSamples.other),
            ]
        }
        #expect(owners == [LoginSamples.ann, nil, nil])
    }

    @Test(
        "Writing a user leaves metadata and activity; writing metadata leaves the user", arguments: StoreKind.all)
    func apart(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        try await made.store.change { try $0.put(Self.metadata, of: LoginSamples.ann, in: LoginSamples.tenant) }
        let before = try await record(made)
        #expect(before.metadata == Self.metadata)
        #expect(try await made.database.count("user_attribute") == 7)
        var user = try #require(try await made.store.account(LoginSamples.ann, tenant: LoginSamples.tenant)).user
        user.name = "Ann"
        let renamed = user
        try await made.store.change { try $0.put(renamed, passwordHash: nil, in: LoginSamples.tenant) }
        var expected = before
        expected.user = renamed
        #expect(try await record(made) == expected)
        try await made.store.change { transaction in
            try transaction.put(UserMetadata(app: ["a": [1, 1]]), of: LoginSamples.ann, in: LoginSamples.tenant)
            try transaction.put(Self.metadata, of: UserID("auth0|gone"), in: LoginSamples.tenant)
        }
        expected.metadata = UserMetadata(app: ["a": [1, 1]])
        #expect(try await record(made) == expected)
        #expect(try await made.database.count("user_attribute") == 1)
        try await made.delete(LoginSamples.ann)
        #expect(try await made.database.count("user_attribute") == 0)
        #expect(try await made.database.count("user_profile") == 3)
    }

    @Test("A login is counted; approving a request is not", arguments: StoreKind.all)
    func logins(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        #expect(try await record(made).activity == UserActivity())
        let session = LoginSamples.session()
        var event = LoginSamples.event(.loggedIn)
        event.remoteAddress = "192.0.2.7"
        #expect(try await made.store.create(session, replacing: nil, event: event))
        var expected = UserActivity()
        expected.lastLogin = session.authentication.at
        expected.lastIP = "192.0.2.7"
        expected.loginsCount = 1
        #expect(try await record(made).activity == expected)
        try await made.loggedIn(LoginSamples.session("second"))
        expected.loginsCount = 2
        #expect(try await record(made).activity == expected, "an unknown address leaves the one before")
        try await made.started()
        #expect(try await made.resolve() != .notPending)
        #expect(try await made.redeem())
        #expect(try await record(made).activity == expected)
        #expect(try await record(made, LoginSamples.bob).activity == UserActivity())
    }

    @Test("A changed password is recorded, a first or unchanged one is not", arguments: StoreKind.all)
    func passwords(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func put(_ hash: String?, second: Int) async throws -> Timestamp? {
            try await made.store.change { transaction in
                try transaction.put(
                    Samples.user("auth0|eve") { $0.updatedAt = LoginSamples.start + .seconds(second) },
                    passwordHash: hash,
                    in: LoginSamples.tenant)
            }
            return try await record(made, UserID("auth0|eve")).activity.lastPasswordReset
        }
        #expect(try await put("first", second: 1) == nil)
        #expect(try await put("first", second: 2) == nil)
        #expect(try await put("second", second: 3) == LoginSamples.start + .seconds(3))

        try await made.give()
        let isSet = try await made.store.setPassword(
            "new", ticket: LoginSamples.hash("ticket"), forgiving: nil, tenant: LoginSamples.tenant,
            now: LoginSamples.start + .seconds(9),
            event: LoginSamples.event(.passwordChanged), notice: { _ in nil })
        #expect(isSet)
        #expect(try await record(made).activity.lastPasswordReset == LoginSamples.start + .seconds(9))
    }

    @Test("A user's own identity comes first, then linked ones", arguments: StoreKind.all)
    func identities(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for (provider, id) in [("github", "1|2"), ("corp", "3")] {
            #expect(
                try await made.store.link(
                    UpstreamIdentity(provider: provider, id: id), to: LoginSamples.ann, tenant: LoginSamples.tenant,
                    event: LoginSamples.event(.identityLinked)))
        }
        let found = try await record(made).identities.map { "\($0.connection) \($0.provider) \($0.userID)" }
        #expect(found == ["Username-Password-Authentication auth0 ann", "corp corp 3", "github github 1|2"])
        try await made.store.change {
            try $0.put(Samples.user("github|42|x"), passwordHash: nil, in: LoginSamples.tenant)
        }
        #expect(
            try await record(made, UserID("github|42|x")).identities
                == [UserIdentity(provider: "github", userID: "42|x")])
    }
}
