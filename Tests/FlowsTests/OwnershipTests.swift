import Administration
import AuthorizationCore
import Configuration
import GuardianWire
import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

@testable import Flows

@Suite("Every value that a login remembers names its owner")
struct OwnershipTests {
    enum Owner: Sendable {
        /// The user who left the value. Nobody else in the same browser has it.
        case user
        /// The request, for any user who answers it.
        case request
        /// The current attempt to log in, which ends with a login of any user.
        case attempt
        /// Values whose parts have rows of their own.
        case parts
    }

    struct Value: Sendable, CustomTestStringConvertible {
        let name: String
        let owner: Owner
        /// Text that the stored form has if it has the value.
        var marker = ""
        var set: @Sendable (inout AuthorizationProgress) -> Void = { _ in }

        var testDescription: String { name }
    }

    private static let ann = UserID("auth0|ann")
    private static let bob = UserID("auth0|bob")
    private static let annsSession = SessionID("the-session-of-ann")
    private static let anns = AuthorizationProgress.Owner(user: ann, accessEndings: 0, session: annsSession)

    private static func text(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }

    /// Every property of `AuthorizationProgress` and of its `Belongings`.
    static let values: [Value] = [
        Value(name: "authentication", owner: .user, marker: #""connection":"marker""#) {
            $0.authentication = Authentication(user: ann, at: Samples.start, methods: ["pwd"], connection: "marker")
        },
        Value(name: "proof", owner: .user, marker: text([7, 7, 7])) { $0.proof = [7, 7, 7] },
        Value(name: "session", owner: .user, marker: annsSession.rawValue) { $0.session = annsSession },
        Value(name: "account", owner: .user, marker: ann.rawValue) { $0.account = .current(ann) },
        Value(name: "upstreamAttempt", owner: .attempt, marker: "the-attempt") { $0.upstreamAttempt = "the-attempt" },
        Value(name: "expectedUser", owner: .request),
        Value(name: "belongings", owner: .parts),
        Value(name: "owner", owner: .user, marker: annsSession.rawValue) { $0.change(of: anns) { _ in } },
        Value(name: "gaveSecondFactor", owner: .user, marker: "second_factor") {
            $0.change(of: anns) { $0.gaveSecondFactor = true }
        },
        Value(name: "offersRecoveryCodes", owner: .user, marker: "offers_recovery_codes") {
            $0.change(of: anns) { $0.offersRecoveryCodes = true }
        },
        Value(name: "consented", owner: .user, marker: "the:scope") {
            $0.change(of: anns) { $0.consented = ScopeSet(["the:scope"]) }
        },
        Value(name: "push", owner: .user, marker: text([8, 8, 8])) {
            $0.change(of: anns) {
                $0.push = AuthorizationProgress.Push(
                    hash: [8, 8, 8], number: MatchingNumber.choices(SeededRandom())[0], matching: .choose,
                    expiresAt: Samples.start + .seconds(60), digest: [1])
            }
        },
        Value(name: "sealedEnrollment", owner: .user, marker: text([9, 9, 9])) {
            $0.change(of: anns) { $0.sealedEnrollment = [9, 9, 9] }
        },
    ]

    private static var full: AuthorizationProgress {
        var progress = AuthorizationProgress(expecting: UserID("the-expected-user"))
        for value in values { value.set(&progress) }
        return progress
    }

    private static func names(_ value: some Any) -> Set<String> {
        Set(Mirror(reflecting: value).children.compactMap(\.label))
    }

    @Test("The table above has every value of the progress: name the owner of a new one there")
    func complete() throws {
        let full = Self.full
        let belongings = try #require(full.belongings)
        #expect(Self.names(full).union(Self.names(belongings)) == Set(Self.values.map(\.name)))
        for child in Array(Mirror(reflecting: full).children) + Array(Mirror(reflecting: belongings).children) {
            let isSet = Mirror(reflecting: child.value).displayStyle != .optional || "\(child.value)" != "nil"
            #expect(isSet, "\(child.label ?? "")")
        }
        let text = JSONWriter.string(full.json)
        for value in Self.values where value.owner == .user || value.owner == .attempt {
            #expect(!value.marker.isEmpty && text.contains(value.marker), "\(value.name)")
        }
        #expect(AuthorizationProgress(full.json) == full, "it is kept as it was")
    }

    @Test("The other values of a stored login belong to the request and the browser that it began in")
    func stored() async throws {
        let fixture = try await LoginFixture()
        let page = try await fixture.authorize(Visitor()).page
        #expect(
            Self.names(page.stored) == [
                "hash", "tenant", "goal", "browserHash", "parameters", "progress", "createdAt", "expiresAt",
                "revision",
            ])
    }

    enum Way: Sendable, CaseIterable {
        /// The browser's session has become another user's.
        case session
        /// Another user logs in within the transaction.
        case password
        /// The transaction's browser lacks the proof that the user left in theirs.
        case unproven
    }

    /// Puts Ann's value into a transaction of the visitor's browser.
    private func leave(_ value: Value, in page: LoginTransaction, _ fixture: LoginFixture) async throws {
        let hash = page.stored.hash
        var stored = try #require(
            try await fixture.store.transaction(hash, tenant: fixture.tenant.id, now: fixture.now))
        var progress = AuthorizationProgress(stored.progress)
        if value.name == "proof" {
            progress.authentication = Authentication(user: Self.ann, at: fixture.now, methods: [], connection: "x")
        }
        value.set(&progress)
        stored.progress = progress.json
        #expect(try await fixture.store.update(stored))
    }

    private func fixture() async throws -> LoginFixture {
        let fixture = try await LoginFixture(
            tenant: Samples.tenant { $0.settings.multiFactor = .never }, clients: [LoginFixture.app()])
        let tenant = fixture.tenant.id
        try await fixture.fixture.configurationStore.change { transaction in
            let bob = Samples.user("auth0|bob") { $0.email = "bob@example.org" }
            try transaction.put(bob, passwordHash: "hash of \(LoginFixture.password)", in: tenant)
        }
        return fixture
    }

    @Test(
        "Another user in the same browser gets none of a user's values",
        arguments: values.filter { $0.owner == .user }, Way.allCases)
    func inheritance(_ value: Value, _ way: Way) async throws {
        var fixture = try await fixture()
        let visitor = Visitor()
        let changes: [String: String?] = ["prompt": "select_account"]
        let open: LoginTransaction
        switch way {
        case .session:
            _ = try await fixture.logIn(
                try await fixture.authorize(visitor).page.id, visitor, email: "bob@example.org"
            ).response
            fixture.settings { $0.multiFactor = .always }
            let page = try await fixture.authorize(visitor, changes).page
            try await leave(value, in: page, fixture)
            open = try await fixture.open(page.id, visitor)
        case .password:
            fixture.settings { $0.multiFactor = .always }
            let page = try await fixture.authorize(visitor, changes).page
            try await leave(value, in: page, fixture)
            let chosen = try await fixture.transactions.selectAccount(
                try await fixture.open(page.id, visitor), other: true)
            open = try await fixture.logIn(try chosen.page.id, visitor, email: "bob@example.org").page
            #expect(open.user?.id == Self.bob)
        case .unproven:
            let page = try await fixture.authorize(visitor, changes).page
            try await leave(value, in: page, fixture)
            open = try await fixture.open(page.id, visitor)
            #expect(open.user == nil)
        }
        #expect(!JSONWriter.string(open.progress.json).contains(value.marker))
        #expect(open.user?.id != Self.ann)
    }

    @Test("An attempt at another provider ends with any login")
    func attempt() async throws {
        var fixture = try await fixture()
        fixture.settings { $0.multiFactor = .always }
        let visitor = Visitor()
        let value = try #require(Self.values.first { $0.owner == .attempt })
        let page = try await fixture.authorize(visitor).page
        try await leave(value, in: page, fixture)
        let open = try await fixture.logIn(page.id, visitor, email: "bob@example.org").page
        #expect(!JSONWriter.string(open.progress.json).contains(value.marker))
    }

    @Test("The expected user belongs to the request: another user is refused, and the value stays")
    func expected() {
        let progress = Self.full
        #expect(progress.beginning.expectedUser == progress.expectedUser)
        #expect(Self.names(progress.beginning) == Self.names(progress))
        #expect(progress.beginning.json == ["expected_user": "the-expected-user"])
    }
}
