import AuthorizationCore
@testable import Flows
import Foundation
import HTTPModel
import Primitives
import SMTPTransport
import TestSupport
import Testing

@Suite("SMTP (RFC 5321)")
struct SMTPTransportTests {
    private let mail = FinishedMail(
        to: "ann@example.org", subject: "Été", text: "Hello\n.\n..two\n.com\n\nhttps://x/?a=b", html: "<p>Hello</p>",
        id: "0a")

    private func transport(
        _ url: String, _ change: (inout SMTPTransport.Configuration) -> Void = { _ in }
    ) throws -> SMTPTransport {
        let from = try #require(MailAddress("login@dev.example"))
        var configuration = try #require(SMTPTransport.Configuration(url: url, from: from))
        configuration.timeout = .seconds(10)
        change(&configuration)
        return SMTPTransport(configuration)
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
            // If EHLO is refused, libcurl tries HELO.
            if command == "EHLO" { sink.refuse("HELO", reply) }
            switch try await failure(transport) {
            case .refused(let text), .bounced(_, let text):
                #expect(isFinal, "\(command) \(reply)")
                #expect(!text.contains("secret-text"))
            case .failed(let text):
                #expect(!isFinal, "\(command) \(reply): \(text)")
                #expect(!text.contains("secret-text"))
            }
        }
        #expect(sink.mails.isEmpty)
        try await transport.send(mail, now: Samples.start)
        #expect(sink.mails.count == 1)
    }

    @Test(
        "RFC 3463 3.2: a refusal of the recipient has the status that condemns the address, without the server's words")
    func bounces() async throws {
        let sink = try SMTPSink()
        let transport = try transport(sink.url)
        for (reply, expected) in [
            ("550 5.1.1 <ann@example.org> unknown", MailFailure.bounced(status: "5.1.1", "RCPT failed: 550 5.1.1")),
            ("550-5.7.1 no\r\n550 5.7.1 policy", .bounced(status: "5.7.1", "RCPT failed: 550 5.7.1")),
            ("550 no such user", .refused("RCPT failed: 550")), ("450 4.2.1 later", .failed("RCPT failed: 450")),
        ] {
            sink.refuse("RCPT", reply)
            #expect(try await failure(transport) == expected)
        }
    }

    @Test("Mails to one server share a connection, also one with a login, and a cut one costs nothing")
    func pooled() async throws {
        let sink = try SMTPSink(offers: ["8BITMIME", "AUTH PLAIN"])
        let transport = try transport(sink.url) { configuration in
            configuration.user = "me"
            configuration.password = SecretBytes(utf8: "pass word")
        }
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
        let transport = try transport(sink.url) { configuration in
            configuration.user = "me"
            configuration.password = SecretBytes(utf8: "pass word")
        }
        try await transport.send(mail, now: Samples.start)
        let told = Base64.encode(Array("\0me\0pass word".utf8))
        #expect(sink.commands.contains { $0.hasPrefix("AUTH PLAIN") })
        #expect(sink.commands.contains { $0.contains(told) })
        // The first connection is kept, and is logged in.
        let other = try self.transport(sink.url) { configuration in
            configuration.user = "me"
            configuration.password = SecretBytes(utf8: "pass word")
        }
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
        let configured = try transport("smtp://127.0.0.1.nip.invalid:\(sink.port)") { $0.connectTimeout = .seconds(1) }
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
