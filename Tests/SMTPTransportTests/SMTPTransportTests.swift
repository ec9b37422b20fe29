import AuthorizationCore
import CurlTransport
@testable import Flows
import Foundation
import HTTPModel
import Primitives
@testable import SMTPTransport
import TestSupport
import Testing

@Suite("SMTP (RFC 5321)")
struct SMTPTransportTests {
    private let mail = FinishedMail(
        to: "ann@example.org", subject: "Été", text: "Hello\n.\n..two\n.com\n\nhttps://x/?a=b", html: "<p>Hello</p>",
        id: "0a")

    private func transport(
        _ url: String, pool: SMTPPool = SMTPPool(), _ change: (inout SMTPTransport.Configuration) -> Void = { _ in }
    ) throws -> SMTPTransport {
        let from = try #require(MailAddress("login@dev.example"))
        var configuration = try #require(SMTPTransport.Configuration(url: url, from: from))
        configuration.limits = configuration.limits.within(.seconds(10))
        change(&configuration)
        return SMTPTransport(configuration, pool: pool)
    }

    /// With the account that `SMTPSink` takes.
    private func transportWithAccount(_ sink: SMTPSink, pool: SMTPPool = SMTPPool()) throws -> SMTPTransport {
        try transport(sink.url, pool: pool) { configuration in
            configuration.user = "me"
            configuration.password = SecretBytes(utf8: "pass word")
        }
    }

    private func failure(
        _ transport: SMTPTransport, to: String = "ann@example.org", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> MailFailure {
        try await #require(throws: MailFailure.self, sourceLocation: sourceLocation) {
            try await transport.send(
                FinishedMail(to: to, subject: "s", text: "secret-text", html: "secret-text", id: "a"),
                now: Samples.start)
        }
    }

    @Test("A mail arrives unchanged, with dots doubled in transit (RFC 5321 clause 4.5.2)")
    func arrives() async throws {
        let sink = try SMTPSink()
        try await transport(sink.url).send(mail, now: Samples.start)
        let received = try #require(sink.mails.first)
        #expect(received.from.hasPrefix("<login@dev.example>"))
        #expect(received.recipients == ["<ann@example.org>"])
        #expect(received.rawLines.contains("..") && received.rawLines.contains("...two"))
        #expect(received.rawLines.contains("..com"))
        #expect(received.message.contains("\r\n\r\nHello\r\n.\r\n..two\r\n.com\r\n\r\nhttps://x/?a=3Db\r\n--="))
        #expect(received.message.contains("Subject: =?UTF-8?B?"))
    }

    @Test(
        "RFC 5321 4.2.1: a permanent refusal of the recipient or the content is final; one of this client is not, nor 451"
    )
    func refusals() async throws {
        let sink = try SMTPSink()
        let transport = try transport(sink.url)
        let cases: [(command: String, reply: String, isFinal: Bool)] = [
            ("RCPT", "550 no such user", true), ("RCPT", "451 later", false), ("MAIL", "552 too much", false),
            ("MAIL", "530 5.7.0 Authentication required", false), (".", "554 spam", true), (".", "452 full", false),
            ("EHLO", "421 busy", false),
            ("EHLO", "550 go away", false), (SMTPSink.greeting, "554 no service", false), ("DATA", "554 no", true),
            ("RCPT", "530 5.7.0 Authentication required", false),
        ]
        for (command, reply, isFinal) in cases {
            sink.refuse(command, reply)
            switch try await failure(transport) {
            case .refused(let text), .bounced(_, let text):
                #expect(isFinal, "\(command) \(reply)")
                #expect(!text.contains("secret-text"))
            case .failed(let text):
                #expect(!isFinal, "\(command) \(reply): \(text)")
                #expect(!text.contains("secret-text"))
            case .unanswered, .resting: Issue.record("\(command) \(reply)")
            }
        }
        #expect(sink.mails.isEmpty)
        try await transport.send(mail, now: Samples.start)
        #expect(sink.mails.count == 1)
    }

    @Test(
        "RFC 3463 3.2, 3.3: only some statuses judge the recipient. Faults of the sender or the login are tried again.",
        arguments: [
            (
                "RCPT", "550 5.1.1 <ann@example.org> unknown",
                MailFailure.bounced(status: "5.1.1", "550 5.1.1 [recipient] unknown")
            ),
            ("RCPT", "550-5.1.10 no\r\n550 5.1.10 such", .bounced(status: "5.1.10", "550 5.1.10 no 5.1.10 such")),
            ("RCPT", "552 5.2.2 full", .bounced(status: "5.2.2", "552 5.2.2 full")),
            ("RCPT", "550 no such user", .refused("550 no such user")),
            ("RCPT", "550 5.0.0 no such user", .refused("550 5.0.0 no such user")),
            // Postfix answers the recipient with its verdict on a sender, a login and a client.
            (
                "RCPT", "553 5.7.1 <login@dev.example>: not owned by user me",
                .failed("553 5.7.1 <login@dev.example>: not owned by user me")
            ),
            ("RCPT", "550 5.1.8 domain not found", .failed("550 5.1.8 domain not found")),
            ("RCPT", "554 5.7.1 Relay access denied", .failed("554 5.7.1 Relay access denied")),
            ("RCPT", "550 5.1.0 address rejected", .failed("550 5.1.0 address rejected")),
            ("RCPT", "550 5.4.1 no", .failed("550 5.4.1 no")), ("RCPT", "450 4.2.1 later", .failed("450 4.2.1 later")),
            ("DATA", "550 5.1.1 unknown", .bounced(status: "5.1.1", "550 5.1.1 unknown")),
            (
                ".", "554 5.7.1 spam, see https://id.example/u/reset-password?ticket=1",
                .refused("554 5.7.1 spam, see [hidden]")
            ),
            (".", "550 5.1.7 bad sender", .failed("550 5.1.7 bad sender")),
            ("MAIL", "550 5.1.1 no", .failed("550 5.1.1 no")),
        ])
    func statuses(command: String, reply: String, expected: MailFailure) async throws {
        let sink = try SMTPSink()
        sink.refuse(command, reply)
        let failure = try await failure(try transport(sink.url))
        let label = command == "." ? "the mail was refused" : "\(command) failed"
        let text = "\(label): \(expected.text)"
        switch expected {
        case .bounced(let status, _): #expect(failure == .bounced(status: status, text))
        case .refused: #expect(failure == .refused(text))
        default: #expect(failure == .failed(text))
        }
    }

    @Test("RFC 5321 4.5.3.2.6: a server may take its time to accept the whole mail, which it gets once")
    func slowAcceptance() async throws {
        let sink = try SMTPSink()
        let transport = try transport(sink.url) { configuration in
            configuration.limits.reply = .seconds(1)
            configuration.limits.acceptance = .seconds(30)
        }
        sink.delay("RCPT", by: 30)
        #expect(try await failure(transport) == .failed("no reply to RCPT within 1.0 seconds"))
        let short = try self.transport(sink.url) { configuration in
            configuration.limits.beforeAcceptance = .seconds(1)
            configuration.limits.acceptance = .seconds(30)
        }
        sink.delay("RCPT", by: 30)
        #expect(try await failure(short) == .failed("no end within 1.0 seconds"))
        sink.delay(".", by: 5)
        try await transport.send(mail, now: Samples.start)
        #expect(sink.mails.count == 1)
    }

    @Test("A server may take its time to greet: to connect is another step")
    func slowGreeting() async throws {
        let sink = try SMTPSink()
        sink.delay(SMTPSink.greeting, by: 1.5)
        let transport = try transport(sink.url) { $0.limits.connecting = .seconds(1) }
        try await transport.send(mail, now: Samples.start)
        #expect(sink.mails.count == 1)
    }

    @Test("A server that says more than it was asked is not believed")
    func tooMuch() async throws {
        let sink = try SMTPSink()
        sink.refuse("MAIL", "250 OK\r\n250 OK\r\n354 go")
        #expect(try await failure(try transport(sink.url)) == .failed("the server said more than was asked"))
        #expect(!sink.commands.contains { $0.hasPrefix("RCPT") })
    }

    @Test("A mail whose acceptance is open may have arrived")
    func unanswered() async throws {
        let sink = try SMTPSink()
        let transport = try transport(sink.url) { $0.limits.acceptance = .seconds(1) }
        sink.delay(".", by: 30)
        #expect(try await failure(transport) == .unanswered("no reply to the whole mail within 1.0 seconds"))
        // A server that is gone at once may have taken the mail as well.
        sink.refuse(".", SMTPSink.cut)
        #expect(try await failure(transport) == .unanswered("the connection ended"))
        sink.refuse("DATA", SMTPSink.cut)
        #expect(try await failure(transport) == .failed("the connection ended"))
    }

    @Test("A server that does not answer QUIT holds nobody up")
    func silentParting() async throws {
        let (sink, clock) = (try SMTPSink(), ContinuousClock())
        // None is kept: each connection ends after its mail.
        let transport = try transport(sink.url, pool: SMTPPool(limit: 0))
        for _ in 0..<3 { sink.delay("QUIT", by: 120) }
        let start = clock.now
        try await transport.send(mail, now: Samples.start)
        try await transport.send(mail, now: Samples.start)
        sink.refuse("RCPT", "550 5.1.1 unknown")
        guard case .bounced = try await failure(transport) else {
            Issue.record("the refusal was forgotten")
            return
        }
        #expect(clock.now - start < .seconds(60))
        for _ in 0..<300 where sink.commands.count(where: { $0 == "QUIT" }) < 3 {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(sink.commands.count { $0 == "QUIT" } == 3)
    }

    @Test("With an account, nothing goes to a server that offers no login", arguments: [[], ["8BITMIME"]])
    func noLogin(offers: [String]) async throws {
        let sink = try SMTPSink(offers: offers)
        let transport = try transportWithAccount(sink)
        #expect(try await failure(transport) == .failed("the server offers no login"))
        let failure = await #expect(throws: MailFailure.self) { try await transport.check() }
        #expect(failure == .failed("the server offers no login"))
        #expect(!sink.commands.contains { $0.hasPrefix("MAIL") || $0.hasPrefix("NOOP") })
        try await self.transport(sink.url).check()
    }

    @Test("Mails wait after a refused login for a minute, and other logins and checks do not")
    func restingLogin() async throws {
        let sink = try SMTPSink(offers: ["8BITMIME", "AUTH PLAIN"])
        let pool = SMTPPool()
        let transport = try transportWithAccount(sink, pool: pool)
        sink.refuse("AUTH", "535 5.7.8 wrong")
        #expect(try await failure(transport) == .failed("the server refused the login: 535 5.7.8"))
        for _ in 0..<3 {
            guard case .resting = try await failure(transport) else {
                Issue.record("it was tried")
                return
            }
        }
        #expect(sink.commands.count { $0.hasPrefix("AUTH") } == 1)
        try await transport.check()
        let other = try self.transport(sink.url, pool: pool) { configuration in
            configuration.user = "me"
            configuration.password = SecretBytes(utf8: "another")
        }
        try await other.send(mail, now: Samples.start)
        #expect(sink.mails.count == 1)
        try await transport.send(mail, now: Samples.start + .seconds(60))
        #expect(sink.mails.count == 2)
    }

    @Test(
        "A refusal up to the login has its code and status alone, since its words may quote the login",
        arguments: [
            ("AUTH", "535 5.7.8 me: pass word", "535 5.7.8"), ("AUTH", "454 me is locked", "454"),
            (SMTPSink.greeting, "554 no service for me", "554"), ("MAIL", "550 no", "550 no"),
        ])
    func loginWords(command: String, reply: String, words: String) async throws {
        let sink = try SMTPSink(offers: ["8BITMIME", "AUTH PLAIN"])
        sink.refuse(command, reply)
        let text = try await failure(try transportWithAccount(sink)).text
        #expect(text.hasSuffix(": \(words)"), "\(text)")
    }

    @Test("RFC 5321 4.1.1.1: the client greets with the sender's domain, not with the machine's name")
    func greeting() async throws {
        let sink = try SMTPSink()
        try await transport(sink.url).check()
        #expect(sink.commands.first == "EHLO dev.example")
    }

    @Test("Mails to one server share a connection, also one with a login, and a cut one costs nothing")
    func pooled() async throws {
        let sink = try SMTPSink(offers: ["8BITMIME", "AUTH PLAIN"])
        let transport = try transportWithAccount(sink)
        for _ in 0..<3 { try await transport.send(mail, now: Samples.start) }
        try await transport.check()
        #expect(sink.commands.count { $0.hasPrefix("EHLO") } == 1)
        #expect(sink.commands.count { $0.hasPrefix("AUTH") } == 1)
        // The server ends the connection with its answer to the next command.
        sink.refuse("MAIL", "421 idle too long")
        try await transport.send(mail, now: Samples.start)
        #expect(sink.mails.count == 4)
        #expect(sink.commands.count { $0.hasPrefix("EHLO") } == 2)
        // After a refusal, the next mail begins anew.
        sink.refuse("RCPT", "451 later")
        _ = try await failure(transport)
        try await transport.send(mail, now: Samples.start)
        #expect(sink.mails.count == 5)
    }

    @Test("A tenant's server is spoken to over TLS alone, and only at addresses that the policy allows")
    func relays() async throws {
        let sink = try SMTPSink()
        let from = try #require(EmailAddress(parsing: "shop@tenant.example"))
        func transport(_ policy: OutgoingPolicy, _ host: String) -> any MailTransport {
            SMTPRelays(policy, trust: .system, hashing: Samples.hashing).transport(
                to: MailRelay(host: host, port: sink.port, login: .none, from: from))
        }
        for host in ["127.0.0.1", "localhost"] {
            let refused = await #expect(throws: MailFailure.self) {
                try await transport(OutgoingPolicy(), host).send(mail, now: Samples.start)
            }
            #expect(refused?.text.contains("is not allowed: it is not public") == true, "\(refused?.text ?? "")")
        }
        #expect(sink.commands.isEmpty)
        await #expect(throws: MailFailure.self) {
            try await transport(OutgoingPolicy(allowing: OutgoingPolicy.loopback), "127.0.0.1").check()
        }
        #expect(!sink.commands.isEmpty && !sink.commands.contains { $0.hasPrefix("NOOP") || $0.hasPrefix("MAIL") })
    }

    @Test("An invalid address is refused before a server is asked")
    func address() async throws {
        let sink = try SMTPSink()
        guard case .refused = try await failure(try transport(sink.url), to: "ann@example.org>\r\nDATA") else {
            Issue.record("it was sent")
            return
        }
        #expect(sink.commands.isEmpty)
    }

    @Test("An unreachable server may be tried again")
    func unreachable() async throws {
        var sink: SMTPSink? = try SMTPSink()
        let url = try #require(sink?.url)
        sink = nil
        for (url, reason) in [(url, "connect"), ("smtp://nobody.invalid", "resolve")] {
            guard case .failed(let text) = try await failure(try transport(url)) else {
                Issue.record("it was given up")
                return
            }
            #expect(text.contains(reason), "\(text)")
        }
    }

    @Test("The client logs in with user and password; if the server refuses them, the mail waits")
    func authentication() async throws {
        let sink = try SMTPSink(offers: ["8BITMIME", "AUTH PLAIN"])
        let transport = try transportWithAccount(sink)
        try await transport.send(mail, now: Samples.start)
        let told = Base64.encode(Array("\0me\0pass word".utf8))
        #expect(sink.commands.contains { $0.hasPrefix("AUTH PLAIN") })
        #expect(sink.commands.contains { $0.contains(told) })
        // The first connection is kept, and is logged in.
        let other = try transportWithAccount(sink)
        sink.refuse("AUTH", "535 wrong")
        guard case .failed(let text) = try await failure(other) else {
            Issue.record("it was given up")
            return
        }
        #expect(!text.contains("pass word"))
    }

    @Test("TLS is required unless the server is on this machine")
    func tls() async throws {
        // Every host of 127.0.0.0/8 is this machine, but only the usual names count.
        let sink = try SMTPSink()
        let configured = try transport("smtp://127.0.0.1.nip.invalid:\(sink.port)") {
            $0.limits.connecting = .seconds(1)
        }
        guard case .failed = try await failure(configured) else {
            Issue.record("it was sent")
            return
        }
        // Another spelling of the same address, which is reached and offers no STARTTLS.
        let other = try transport("smtp://127.1:\(sink.port)")
        guard case .failed = try await failure(other) else {
            Issue.record("it was sent")
            return
        }
        #expect(sink.mails.isEmpty && !sink.commands.contains { $0.hasPrefix("MAIL") })
    }

    @Test("Only URLs of a mail server are accepted")
    func urls() throws {
        let from = try #require(MailAddress("login@dev.example"))
        for url in [
            "http://mail.example", "smtp://", "smtp://user@mail.example", "smtp://mail.example/path",
            "smtp://mail.example:0", "smtp://mail.example:70000", "smtp://mail.example?x", "smtp://[::1", "smtp://a b",
        ] {
            #expect(SMTPTransport.Configuration(url: url, from: from) == nil, "\(url)")
        }
        for url in ["smtp://mail.example", "smtps://mail.example:465", "smtp://[::1]:25/", "smtp://localhost"] {
            #expect(SMTPTransport.Configuration(url: url, from: from) != nil, "\(url)")
        }
    }

    @Test("A folder gets a file of mode 0600 for each mail, with readable text")
    func folder() async throws {
        let path = NSTemporaryDirectory() + "mail-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = MailFolder(path, from: MailAddress(localPart: "countersign"))
        try await folder.send(mail, now: Samples.start)
        try await folder.send(mail, now: Samples.start)
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(names == ["20261120100000000-0a.eml"])
        let file = "\(path)/\(names.first ?? "")"
        let text = String(decoding: try #require(FileManager.default.contents(atPath: file)), as: UTF8.self)
        #expect(text.contains("https://x/?a=b\r\n"))
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
    }
}
