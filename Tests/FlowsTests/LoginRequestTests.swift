import ApprovalWire
import AuthorizationCore
@testable import Flows
import GuardianWire
import HTTPModel
import Localization
import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("What a login's request says, and which one counts")
struct LoginRequestTests {
    private struct KnownPlaces: PlaceFinder {
        func place(of address: String) -> RequestRecord.Place? {
            RequestRecord.Place(
                names: ["en": "Munich", "de": "München", "fr": "Munich"].mapValues { "\($0) \(address)" })
        }
    }

    private func fixture(
        clients: [Client] = [LoginFixture.app()], capabilities: Set<DeviceCapability> = [.numberMatching],
        _ change: (inout TenantSettings) -> Void = { _ in }
    ) async throws -> LoginFixture {
        let fixture = try await LoginFixture(
            tenant: Samples.tenant {
                $0.settings.multiFactor = .always
                change(&$0.settings)
            }, clients: clients)
        try await fixture.fixture.enrol(Samples.device(capabilities: capabilities))
        return fixture
    }

    private func waiting(_ fixture: LoginFixture) async throws -> [BackchannelRequest] {
        let sealed = try await fixture.fixture.pendingStore.pending(
            user: UserID("auth0|ann"), tenant: fixture.tenant.id, after: 0, now: fixture.now, limit: 9)
        var requests: [BackchannelRequest] = []
        for one in sealed { requests.append(try #require(try await fixture.fixture.vault.opened(one))) }
        return requests
    }

    private func sent(_ fixture: LoginFixture, _ visitor: Visitor = Visitor()) async throws -> LoginTransaction {
        try await fixture.push.send(try await fixture.pending(visitor), language: .english)
    }

    @Test(
        "The record names application, browser, system, address, place and time, and the decision keeps it for receipts"
    )
    func carried() async throws {
        let fixture = try await fixture(capabilities: [])
        let push = PushFactor(
            store: fixture.store, transactions: fixture.transactions, vault: fixture.fixture.vault,
            secrets: fixture.fixture.secrets, random: fixture.fixture.random, places: KnownPlaces(),
            decisions: fixture.fixture.hub, timer: fixture.fixture.timer,
            hold: PushFactor.longestHold)
        fixture.fixture.clock.advance(by: .milliseconds(250))
        let page = try await fixture.pending(Visitor("192.0.2.66"))
        _ = try await push.send(page, language: .english, browser: BrowserSoftware(browser: "Firefox", system: "macOS"))
        let login = try #require(try await waiting(fixture).first?.record.display.login)
        #expect(login.application == page.goalName)
        #expect(login.browser == "Firefox" && login.system == "macOS" && login.address == "192.0.2.66")
        #expect(login.place?.name(in: "de") == "München 192.0.2.66")
        #expect(login.at == Timestamp(milliseconds: fixture.now.seconds * 1000))
        let id = try #require(try await waiting(fixture).first?.consentID)
        _ = try await fixture.decide(accept: true)
        let (stored, _) = try #require(try await fixture.fixture.made.store.approval(id, tenant: fixture.tenant.id))
        let evidence = try await fixture.fixture.vault.open(stored, context: fixture.context())
        #expect(evidence?.record.display.login == login)
    }

    @Test("A newer login in the same browser supersedes the older request, whose page learns of it at once")
    func superseded() async throws {
        let fixture = try await fixture()
        let visitor = Visitor()
        let old = try await sent(fixture, visitor)
        let held = Task { try await fixture.push.awaitDecision(old) }
        await fixture.fixture.timer.awaitSleepers()
        let new = try await sent(fixture, visitor)
        #expect(try await held.value == false)
        guard case .superseded = try await fixture.push.check(old), case .waiting = try await fixture.push.check(new)
        else {
            Issue.record("the newer one counts")
            return
        }
        #expect(try await waiting(fixture).map { fixture.fixture.secrets.matchingCode(of: $0) } == [new.pushNumber])
        #expect(try await fixture.log("ciba_superseded").map(\.user) == ["auth0|ann"])
        _ = try await fixture.push.send(old, language: .english)
        #expect(try await waiting(fixture).count == 1, "sent again, it supersedes the newer one")
    }

    @Test("A login in another browser supersedes none")
    func otherBrowser() async throws {
        let fixture = try await fixture()
        let old = try await sent(fixture)
        _ = try await sent(fixture)
        #expect(try await waiting(fixture).count == 2)
        guard case .waiting = try await fixture.push.check(old) else {
            Issue.record("it waits")
            return
        }
    }

    private static let console = LoginFixture.app {
        $0.grants = [ClientGrant(audience: Samples.tenant().managementAudience, subject: .client)]
    }

    @Test(
        "A number is typed where the tenant says so, and at logins with an administrator's rights, if a phone can take it"
    )
    func typed() async throws {
        let (pick, type): (Set<DeviceCapability>, Set<DeviceCapability>) = (
            [.numberMatching], [.numberMatching, .numberTyping]
        )
        for (client, capabilities, setting, expected) in [
            (LoginFixture.app(), type, .choose, .choose), (LoginFixture.app(), type, .type, .type),
            (LoginFixture.app(), pick, .type, .choose), (LoginFixture.app(), [], .type, nil),
            (Self.console, type, .choose, .type), (Self.console, pick, .choose, .choose),
            (Self.console, type, .off, nil),
        ] as [(Client, Set<DeviceCapability>, LoginMatching, NumberMatching?)] {
            let fixture = try await fixture(clients: [client], capabilities: capabilities) {
                $0.loginMatching = setting
            }
            let sent = try await sent(fixture)
            #expect(sent.pushMatching == expected, "\(capabilities) \(setting)")
            let request = try #require(try await waiting(fixture).first)
            #expect(request.record.display.isNumberTyped == (expected == .type))
            #expect(request.record.display.matchingChoices.isEmpty == (expected != .choose))
            #expect(fixture.fixture.secrets.matchingCode(of: request) == (expected == nil ? nil : sent.pushNumber))
        }
    }
}
