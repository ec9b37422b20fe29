import Administration
import AuthorizationCore
import Flows
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: administration of users")
struct UserAdministrationContractTests {
    @Test("Ending access removes sessions, refresh tokens and codes of that user alone", arguments: StoreKind.all)
    func endAccess(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let store = made.store
        for (user, name) in [(LogIn.ann, "ann's"), (LogIn.bob, "bob's")] {
            try await store.create(
                LogIn.session(name, user: user), replacing: nil, event: LogIn.event(.loggedIn))
        }
        let ended = try await store.change { try $0.endAccess(of: LogIn.ann, in: LogIn.tenant) }
        #expect(ended == [SessionEnd(id: SessionID("ann's"), user: LogIn.ann, clients: [])])
        #expect(try await made.database.count("session") == 1)
        #expect(try await store.change { try $0.endAccess(of: LogIn.bob, in: LogIn.other) }.isEmpty)
    }

    @Test("Requests that gave no tokens are removed with their user's; others stay", arguments: StoreKind.all)
    func requests(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let (hash, request) = Samples.request("one")
        let (_, bobs) = Samples.request("two", user: "auth0|bob")
        let limits = StartLimits(
            perMinute: 5, windowStart: LogIn.start - .seconds(60), pendingPerUser: 5, pendingPerTenant: 5)
        for (name, request) in [("one", request), ("two", bobs)] {
            let new = NewBackchannelRequest(
                hash: AuthReqIDHash(of: name, Samples.hashing), request: request, devices: [],
                event: LogIn.event(.backchannelStarted))
            #expect(try await made.store.start(new, limits: limits) == .started)
        }
        let removed = try await made.store.change { try $0.removeRequests(to: LogIn.ann, in: LogIn.tenant) }
        #expect(removed == [hash.bytes])
        #expect(try await made.database.count("backchannel_request") == 1)
    }

    @Test("Users are found by address in every connection, and listed in order", arguments: StoreKind.all)
    func finding(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            for id in ["auth0|one", "corp|one"] {
                try transaction.put(
                    Samples.user(id) { $0.email = "one@example.com" }, passwordHash: nil, in: LogIn.tenant)
            }
        }
        let (found, second, count, other) = try await made.store.read { reader in
            (
                try reader.users(email: "one@example.com", in: LogIn.tenant),
                try reader.users(of: LogIn.tenant, after: UserID("auth0|ann"), skip: 1, limit: 2),
                try reader.userCount(of: LogIn.tenant), try reader.users(email: "one@example.com", in: LogIn.other)
            )
        }
        #expect(found == [UserID("auth0|one"), UserID("corp|one")])
        #expect(second == [UserID("auth0|one"), UserID("corp|one")])
        #expect(count == 4)
        #expect(other.isEmpty)
    }
}
