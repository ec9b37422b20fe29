import Audit
import AuthorizationCore
import Configuration
import Delivery
@testable import Flows
import Foundation
import Localization
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Sending mail")
struct MailCourierTests {
    let queue = FakeQueue()
    let clock = ManualClock()
    let source = FakeMailSource()
    let relays = FakeRelays()
    let ids = MailIDs(key: SecretBytes([UInt8](repeating: 7, count: 32)), hashing: Samples.hashing)

    func configuration(_ mail: MailSettings) throws -> TenantConfiguration {
        let known = try Samples.configuration()
        return TenantConfiguration(
            tenant: known.tenant, clients: known.clients, resourceServers: [], roles: [], keys: known.keys, mail: mail)
    }

    func request(
        channel: Client.NotificationChannel = .email, _ change: (inout BackchannelRequest) -> Void = { _ in }
    ) throws -> SealedRequest {
        var (hash, request) = Samples.request(channel: channel, at: clock.now)
        change(&request)
        var sealed = try Samples.vault.seal(request, hash)
        sealed.sequence = 7
        sealed.state = request.state
        return sealed
    }

    var ann: User {
        var user = User(id: UserID("auth0|ann"), createdAt: clock.now)
        (user.email, user.emailVerified, user.language) = ("ann@example.org", true, .german)
        return user
    }

    func addApproval(
        _ id: Int64 = 1, lifetime: Duration = .seconds(300),
        payload: String = DeviceNotice(.notification, request: 7).payload, problem: String? = nil
    ) {
        queue.add(
            DeliveryEntry(
                id: id,
                delivery: Delivery(
                    tenant: TenantID("dev"), queue: .mail, recipient: "auth0|ann", request: 7, payload: payload,
                    createdAt: clock.now, expiresAt: clock.now + lifetime), problem: problem))
    }

    @Test("A mail that came back is not sent again, and its receiver is gone")
    func returned() async throws {
        let (sealed, user) = (try request(), ann)
        source.state.withLock { $0.request = (sealed, user) }
        addApproval(payload: Delivery.returned, problem: "the mail came back with the status 5.2.2")
        let transport = FakeTransport()
        try await working(transport) { _ in await queue.awaitSettled(1) }
        #expect(transport.taken.withLock { $0.isEmpty })
        #expect(queue.steps == [.ended(problem: "the mail came back with the status 5.2.2")])
        #expect(queue.events.map(\.kind) == [.notificationFailed])
    }

    @Test("An approval mail is written when it is sent, names what is asked, and links to the page alone")
    func approval() async throws {
        addApproval()
        let (sealed, user) = (try request(), ann)
        source.state.withLock { $0.request = (sealed, user) }
        let transport = FakeTransport([.failed("451 later")])
        try await working(transport) { timer in
            await queue.awaitSettled(1)
            await pass(.seconds(5), timer)
            await queue.awaitSettled(2)
        }
        let sent = transport.taken.withLock { $0 }
        let finished = try #require(sent.last)
        #expect(sent.count == 2 && Set(sent.map(\.id)).count == 1, "a repetition has the same Message-ID")
        func creation(_ address: String, _ tenant: String) -> Timestamp? {
            ids.origin(of: finished.id, to: address, tenant: TenantID(tenant))?.createdAt
        }
        #expect(creation("ann@example.org", "dev") == Samples.start)
        #expect(creation("eve@example.org", "dev") == nil && creation("ann@example.org", "other") == nil)
        #expect(finished.language == .german && finished.subject.contains("bittet um Ihre Zustimmung"))
        #expect(finished.text.contains("TX-4711") && finished.html.contains("TX-4711"))
        let link = "https://dev.example/u/approve?id=\(sealed.consentID)&ui_locales=de"
        #expect(finished.text.contains("\n\n\(link)\n\n"))
        let href = "href=\"\(link.replacing("&", with: "&amp;"))\""
        #expect(finished.html.components(separatedBy: "href=").count == 3 && finished.html.contains(href))
        #expect(queue.waiting.isEmpty)
        #expect(queue.events.map(\.kind) == [.notificationSent])
        #expect(queue.events.first?.details["provider"] == "email")
    }

    @Test("The tenant's audit log has a fixed reason, and nothing that a mail server said")
    func reasons() async throws {
        let (sealed, user) = (try request(), ann)
        source.state.withLock { $0.request = (sealed, user) }
        let answers: [MailFailure] = [
            .refused("554 secret"), .bounced(status: "5.1.1", "550 secret"), .failed("451 secret"),
        ]
        for (index, answer) in answers.enumerated() {
            addApproval(Int64(index + 1), lifetime: .seconds(5))
            try await working(FakeTransport([answer])) { timer in
                await queue.awaitSettled(index + 1)
                guard case .failed = answer else { return }
                // It is tried until the request expires.
                await pass(.seconds(5), timer)
                await queue.awaitSettled(index + 2)
            }
        }
        let reasons = queue.events.compactMap { $0.details["reason"]?.stringValue }
        #expect(reasons.count == 3 && !reasons.joined().contains("secret"), "\(reasons)")
        #expect(!queue.dead.values.joined().contains("secret"))
    }

    @Test("A request that needs no answer any more is not mailed")
    func unneeded() async throws {
        let user = ann
        let gone: [(SealedRequest, User?)?] = [
            nil, (try request { $0.state = .expired }, user), (try request(), nil),
        ]
        for (index, given) in gone.enumerated() {
            let transport = FakeTransport()
            addApproval(Int64(index + 1))
            source.state.withLock { $0.request = given }
            try await working(transport) { _ in await queue.awaitSettled(index + 1) }
            #expect(transport.taken.withLock { $0.isEmpty }, "\(index)")
        }
        addApproval(9)
        let sealed = try request()
        source.state.withLock { $0.request = (sealed, user) }
        clock.advance(by: .seconds(300))
        let transport = FakeTransport()
        try await working(transport) { _ in await queue.awaitSettled(4) }
        #expect(transport.taken.withLock { $0.isEmpty })
    }

    @Test("Only a verified address of a user who is not blocked, and that did not bounce, is mailed")
    func addresses() async throws {
        let changes: [(inout User) -> Void] = [
            { $0.emailVerified = false }, { $0.blocked = true }, { $0.email = nil },
            { $0.emailBounce = EmailBounce(at: $0.createdAt, status: "5.1.1") },
        ]
        let sealed = try request()
        for (index, change) in changes.enumerated() {
            var user = ann
            change(&user)
            let given = user
            source.state.withLock { $0.request = (sealed, given) }
            addApproval(Int64(index + 1))
            let transport = FakeTransport()
            try await working(transport) { _ in await queue.awaitSettled(index + 1) }
            #expect(transport.taken.withLock { $0.isEmpty } && user.approvalAddress == nil, "\(index)")
        }
        #expect(queue.events.allSatisfy { $0.kind == .notificationFailed })
        #expect(ann.approvalAddress != nil)
    }

    @Test("RFC 3463 3.2: a status that condemns the address retires it, and others do not")
    func bounces() async throws {
        for (index, status) in ["5.1.1", "5.7.1", "5.2.2", "5.2.1"].enumerated() {
            add(Int64(index + 1), try sealed("s"))
            try await working(FakeTransport([.bounced(status: status, "RCPT failed: 550 \(status)")])) { _ in
                await queue.awaitSettled(index + 1)
            }
        }
        #expect(source.state.withLock { $0.retired } == ["ann@example.org 5.1.1", "ann@example.org 5.2.1"])
        #expect(!EmailBounce.condemnsAddress("5.1.0"), "it judges no recipient")
        let (gone, refused) = ("the mailbox does not exist", "the mail server refused the mail")
        #expect(queue.dead == [1: gone, 2: refused, 3: refused, 4: gone])
    }

    @Test("A mail that reached nobody is in the operator's log, with the words of the mail server")
    func ended() async throws {
        add(1, try sealed("s"))
        let lines = try await working(FakeTransport([.bounced(status: "5.2.2", "RCPT failed: 552 5.2.2 full")])) { _ in
            await queue.awaitSettled(1)
        }
        #expect(lines == ["mail 1 of the tenant dev reached nobody: RCPT failed: 552 5.2.2 full"])
    }

    @Test("A mail whose acceptance is open is sent again after 1 and 4 minutes, not at once")
    func unanswered() async throws {
        add(1, try sealed("s"))
        let transport = FakeTransport([.unanswered("no reply"), .unanswered("no reply")])
        try await working(transport) { timer in
            await queue.awaitSettled(1)
            for (seconds, count) in [(59, 1), (1, 2), (239, 2), (1, 3)] {
                await pass(.seconds(seconds), timer)
                await timer.awaitSleepers()
                if transport.taken.withLock({ $0.count }) < count { await queue.awaitSettled(count) }
                #expect(transport.taken.withLock { $0.count } == count)
            }
        }
        #expect(Set(transport.taken.withLock { $0.map(\.id) }).count == 1 && queue.waiting.isEmpty)
    }

    @Test("A mail waits while its login rests, which counts as no try")
    func resting() async throws {
        add(1, try sealed("s"))
        let transport = FakeTransport([.resting("refused"), .resting("refused")])
        try await working(transport) { timer in
            await queue.awaitSettled(1)
            #expect(queue.waiting.map(\.attempts) == [0])
            await pass(.seconds(5), timer)
            await queue.awaitSettled(2)
            await pass(.seconds(5), timer)
            await queue.awaitSettled(3)
        }
        #expect(queue.waiting.isEmpty)
    }

    @Test("The metadata of the user are read if the tenant's template shows them", arguments: [true, false])
    func metadata(isRead: Bool) async throws {
        addApproval()
        let (sealed, user) = (try request(), ann)
        source.state.withLock { $0.request = (sealed, user) }
        var mail = MailSettings()
        mail.templates[.asynchronousApproval] = try MailTemplate(
            .asynchronousApproval,
            [
                "subject": .string(isRead ? "Team {{ user.user_metadata.team }}" : "Team {{ user.given_name }}"),
                "enabled": true,
            ])
        let transport = FakeTransport()
        try await working(transport, mail: mail) { _ in await queue.awaitSettled(1) }
        #expect(transport.taken.withLock { $0.first?.subject } == (isRead ? "Team Blue" : "Team "))
        #expect(source.reads.value == (isRead ? 1 : 0))
    }

    @Test("The tenant's mail server takes the place of the server's, with the tenant's senders")
    func relay() async throws {
        add(1, try sealed("s"))
        var mail = MailSettings()
        mail.relay = MailRelay(
            host: "mail.tenant.example", port: 587, login: .none,
            from: try #require(EmailAddress(parsing: "shop@tenant.example")))
        let servers = FakeTransport()
        try await working(servers, mail: mail) { _ in await queue.awaitSettled(1) }
        #expect(servers.taken.withLock { $0.isEmpty })
        let finished = relays.transport.taken.withLock { $0.first }
        #expect(finished?.sender?.description == "shop@tenant.example" && finished?.senderName == "Tenant dev")
    }

    @Test("A template that fails when it is rendered is replaced by the built-in text, and the operator is told")
    func brokenTemplate() async throws {
        addApproval()
        var mail = MailSettings()
        let (sealed, user) = (try request(), ann)
        source.state.withLock { $0.request = (sealed, user) }
        mail.templates[.asynchronousApproval] = try MailTemplate(
            .asynchronousApproval,
            [
                "body": "{{ url }}{% for i in (1..1000000) %}x{% endfor %}", "subject": "S", "enabled": true,
            ])
        let transport = FakeTransport()
        let lines = try await working(transport, mail: mail) { _ in await queue.awaitSettled(1) }
        #expect(transport.taken.withLock { $0.first?.text.contains("TX-4711") } == true)
        #expect(
            lines == [
                "mail 1 of the tenant dev was sent, but its template was not used: line 1, column 13: rendering takes more "
                    + "than 20000 steps"
            ])
    }

    @Test("HTML that cannot be made a text is replaced by the built-in text, and the operator is told")
    func brokenText() async throws {
        addApproval()
        var mail = MailSettings()
        let (sealed, user) = (try request(), ann)
        source.state.withLock { $0.request = (sealed, user) }
        mail.templates[.asynchronousApproval] = try MailTemplate(
            .asynchronousApproval,
            [
                "body": .string("{{ url }}" + String(repeating: "<p>", count: 20_001)), "enabled": true,
            ])
        let transport = FakeTransport()
        let lines = try await working(transport, mail: mail) { _ in await queue.awaitSettled(1) }
        #expect(transport.taken.withLock { $0.first?.text.contains("TX-4711") } == true)
        #expect(lines.count == 1 && lines[0].contains("more than 20000 tags"), "\(lines)")
    }

    func sealed(
        _ subject: String, to address: String = "ann@example.org", recipient: MailRecipient = .unverified
    ) throws -> [UInt8] {
        let json = OutgoingMail(to: address, recipient: recipient, subject: subject, text: "link").json
        return try Samples.sealer.seal(
            JSONWriter.bytes(json), context: Delivery.sealingContext(tenant: TenantID("dev")))
    }

    func add(_ id: Int64, _ sealed: [UInt8], lifetime: Duration = .seconds(3600)) {
        queue.add(
            DeliveryEntry(
                id: id,
                delivery: Delivery(
                    SealedMail(
                        tenant: TenantID("dev"), sealed: sealed, createdAt: clock.now, expiresAt: clock.now + lifetime))
            ))
    }

    /// Runs the worker during `body` and returns its reports.
    @discardableResult
    func working(
        _ transport: (any MailTransport)?, mail: MailSettings = MailSettings(), budget: MailBudget = MailBudget(),
        _ body: (ManualTimer) async throws -> Void
    ) async throws -> [String] {
        let courier = MailCourier(
            transport: transport, relays: relays, source: source, vault: Samples.vault,
            configuration: OneTenant(try configuration(mail)), ids: ids,
            rerouting: FakeSource().rerouting(OneTenant(try configuration(mail))), sealer: Samples.sealer,
            budget: budget)
        return try await DeliveryTests.working(queue, [courier], clock: clock) { _, timer in try await body(timer) }
    }

    /// Lets the worker read again after `duration`.
    func pass(_ duration: Duration, _ timer: ManualTimer) async {
        await timer.awaitSleepers()
        timer.advance(by: duration)
    }

    @Test("A mail that is announced is sent at once, before the next look at the queue")
    func announced() async throws {
        let transport = FakeTransport()
        try await working(transport) { timer in
            await queue.awaitReads(1)
            await timer.awaitSleepers()
            add(1, try sealed("one"))
            queue.announce(.mail)
            await queue.awaitSettled(1)
            #expect(timer.sleepers == 1, "nobody woke the worker but the announcement")
        }
        #expect(transport.taken.withLock { $0.count } == 1)
    }

    @Test("Pending mail is opened, sent and deleted")
    func sends() async throws {
        for number in 1...40 { add(Int64(number), try sealed("\(number)", to: "ann\(number)@example.org")) }
        let transport = FakeTransport()
        let lines = try await working(transport) { _ in await queue.awaitSettled(40) }
        let taken = transport.taken.withLock { $0 }
        #expect(Set(taken.map(\.subject)) == Set((1...40).map { "\($0)" }))
        #expect(taken.first?.to.hasPrefix("ann") == true && taken.first?.text == "link" && taken.first?.sender == nil)
        #expect(Set(taken.map(\.id)).count == 40)
        #expect(queue.waiting.isEmpty)
        #expect(lines.isEmpty)
    }

    @Test("A failure is tried again after 5 and 10 seconds, under the same id")
    func retries() async throws {
        add(1, try sealed("s"))
        let transport = FakeTransport([.failed("451 later"), .failed("no connection")])
        let lines = try await working(transport) { timer in
            await queue.awaitSettled(1)
            await pass(.seconds(4), timer)
            await timer.awaitSleepers()
            #expect(transport.taken.withLock { $0.count } == 1)
            await pass(.seconds(1), timer)
            await queue.awaitSettled(2)
            await pass(.seconds(10), timer)
            await queue.awaitSettled(3)
        }
        #expect(Set(transport.taken.withLock { $0.map(\.id) }).count == 1)
        #expect(queue.waiting.isEmpty)
        #expect(
            lines == [
                "mail 1 of the tenant dev is tried again: 451 later",
                "mail 1 of the tenant dev is tried again: no connection",
            ])
    }

    @Test("Refused, late and unreadable mail is given up; the words of the mail server are in the operator's log alone")
    func givenUp() async throws {
        var lines: [String] = []
        for (index, answer) in [MailFailure.refused("550 nobody"), .failed("451 later"), .failed("unused")].enumerated()
        {
            let id = Int64(index + 1)
            add(id, id == 3 ? [1, 2, 3] : try sealed("s"), lifetime: .seconds(5))
            lines += try await working(FakeTransport([answer])) { _ in await queue.awaitSettled(index + 1) }
        }
        #expect(queue.waiting.isEmpty)
        #expect(
            lines == [
                "mail 1 of the tenant dev was given up: 550 nobody",
                "mail 2 of the tenant dev was given up: 451 later",
                "mail 3 of the tenant dev was given up: it cannot be opened; was the master key changed?",
            ])
        #expect(!lines.joined().contains("ann@") && !lines.joined().contains("link"))
        #expect(
            queue.dead == [
                1: "the mail server refused the mail", 2: "the mail server cannot be reached, or takes no mail now",
                3: "it cannot be opened; was the master key changed?",
            ])
    }

    @Test("A mail that expired before it was sent is given up")
    func expired() async throws {
        add(1, try sealed("s"), lifetime: .seconds(60))
        clock.advance(by: .seconds(60))
        let transport = FakeTransport()
        let lines = try await working(transport) { _ in await queue.awaitSettled(1) }
        #expect(transport.taken.withLock { $0.isEmpty })
        #expect(
            lines == ["mail 1 of the tenant dev was given up: not delivered within 1 minutes; no worker got to it"])
    }

    @Test("Four mails of a tenant are sent at a time, so that a slow server leaves room for other tenants'")
    func fewAtATime() async throws {
        for id in 1...6 { add(Int64(id), try sealed("\(id)")) }
        let gate = Gate()
        let transport = FakeTransport(gate: gate)
        try await working(transport) { timer in
            await transport.calls.wait(for: 4)
            await pass(.seconds(1), timer)
            await timer.awaitSleepers()
            #expect(transport.taken.withLock { $0.count } == 4)
            gate.open()
            await queue.awaitSettled(6)
        }
    }

    static let relay = EmailAddress(parsing: "shop@tenant.example").map {
        MailRelay(host: "mail.tenant.example", port: 587, login: .none, from: $0)
    }

    @Test("Without a transport mails wait, and one line reports it")
    func nobody() async throws {
        add(1, try sealed("a"))
        add(2, try sealed("b"))
        let lines = try await working(nil) { timer in
            await queue.awaitSettled(2)
            await pass(.seconds(5), timer)
            await queue.awaitSettled(4)
        }
        #expect(queue.waiting.count == 2)
        #expect(lines == ["mail waits, and is dropped when it expires: no mail server is configured"])
    }
}
