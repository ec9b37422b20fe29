import Flows
import Primitives
@testable import SMTPTransport
import Testing

@Suite("SMTP as a dialogue, without a socket (RFC 5321)")
struct SMTPDialogueTests {
    private static let plain = Base64.encode(Array("\0me\0pass word".utf8))

    /// One side of a dialogue.
    private final class Client {
        private(set) var dialogue: SMTPDialogue

        init(_ dialogue: SMTPDialogue) { self.dialogue = dialogue }

        func begin(_ goal: SMTPDialogue.Goal) -> SMTPDialogue.Action { dialogue.begin(goal) }

        /// Plays replies, of which `TLS` is a handshake. Returns what the client did after each.
        func played(_ replies: [String]) throws -> [String] {
            try replies.map { reply in
                let action =
                    reply == "TLS"
                    ? dialogue.tlsBegan()
                    : dialogue.take(try #require(MailServerReply(reply.split(separator: "\n"))))
                return switch action {
                case .send(let line): line
                case .beginTLS: "(TLS)"
                case .sendMail: "(mail)"
                case .done: "(done)"
                case .failed(let failure, let refusesLogin): "\(failure)\(refusesLogin ? " login" : "")"
                }
            }
        }
    }

    private func client(
        _ security: SMTPDialogue.Security = .required, account: Bool = true, check: Bool = false
    ) throws -> Client {
        let (from, to) = (try #require(MailAddress("a@dev.example")), try #require(MailAddress("b@example.org")))
        return Client(
            SMTPDialogue(
                name: "dev.example", security: security,
                account: account ? SMTPDialogue.Account(user: "me", password: SecretBytes(utf8: "pass word")) : nil,
                goal: check ? .check : .mail(from: from, to: to)))
    }

    @Test("RFC 3207, RFC 4954: STARTTLS, EHLO again, the login, then the mail")
    func whole() throws {
        let client = try self.client()
        let did = try client.played([
            "220 hello", "250-mail\n250-AUTH PLAIN\n250 STARTTLS", "220 go", "TLS", "250-mail\n250 AUTH PLAIN LOGIN",
            "334 ", "235 2.7.0 yes", "250 OK", "251 forwarded", "354 go", "250 kept",
        ])
        #expect(
            did == [
                "EHLO dev.example", "STARTTLS", "(TLS)", "EHLO dev.example", "AUTH PLAIN", Self.plain,
                "MAIL FROM:<a@dev.example>", "RCPT TO:<b@example.org>", "DATA", "(mail)", "(done)",
            ])
        #expect(client.dialogue.isLoggedIn && client.dialogue.step == .ready)
        #expect(client.begin(.check) == .send("NOOP"))
        #expect(try client.played(["250 OK"]) == ["(done)"])
    }

    @Test(
        "RFC 5321 4.1.1.1: keywords in any case, and AUTH in its old form, lead to the login",
        arguments: [
            ("AUTH PLAIN LOGIN", "AUTH PLAIN"), ("auth plain login", "AUTH PLAIN"), ("AUTH=LOGIN PLAIN", "AUTH PLAIN"),
            ("Auth=login", "AUTH LOGIN"), ("AUTH CRAM-MD5 Login", "AUTH LOGIN"),
        ])
    func offers(line: String, command: String) throws {
        let client = try self.client(.implicit)
        #expect(try client.played(["220 x", "250-x\n250-SIZE 1\n250 \(line)"]).last == command)
        let clear = try self.client(.required)
        #expect(try clear.played(["220 x", "250-x\n250-starttls\n250 \(line)"]).last == "STARTTLS")
    }

    @Test("AUTH LOGIN: user and password as answers to two challenges, and not to a third")
    func login() throws {
        let client = try self.client(.implicit)
        let did = try client.played([
            "220 x", "250-x\n250 AUTH LOGIN", "334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6", "334 more",
        ])
        #expect(did[2] == Base64.encode(Array("me".utf8)) && did[3] == Base64.encode(Array("pass word".utf8)))
        #expect(did[4] == "failed(\"the server refused the login: 334\")" && !client.dialogue.isLoggedIn)
    }

    @Test(
        "With an account, no mail begins and no check succeeds unless the server replied 235",
        arguments: [
            "250-x\n250 8BITMIME", "250-x\n250 AUTH CRAM-MD5 NTLM", "250-x\n250 XAUTH PLAIN", "250-x\n250 AUTH",
            "250 AUTH PLAIN", "550 no", "250-x\n250 AUTH PLAIN",
        ], [true, false])
    func withoutLogin(extensions: String, check: Bool) throws {
        for reply in ["250 OK", "334 ", "535 5.7.8 me: pass word", "454 later", "220 hello", "200 ok", "354 go"] {
            let client = try self.client(.implicit, check: check)
            var did = try client.played(["220 x", extensions])
            while did.last?.hasPrefix("(") == false, did.last?.contains("failed") == false, did.count < 9 {
                did += try client.played([reply])
            }
            #expect(did.last?.hasPrefix("failed") == true, "\(did)")
            #expect(!did.contains { $0.hasPrefix("MAIL") || $0.hasPrefix("NOOP") || $0 == "(done)" }, "\(did)")
            #expect(!client.dialogue.isLoggedIn)
            #expect(!did.joined().contains("pass word"), "a refusal may quote the login")
        }
    }

    @Test("A server without STARTTLS gets nothing, unless it is on this machine; an offer is used there, too")
    func security() throws {
        let (none, offer) = ("250-x\n250 8BITMIME", "250-x\n250 STARTTLS")
        for (security, extensions, expected) in [
            (.required, none, "failed(\"the server offers no STARTTLS\")"), (.required, offer, "STARTTLS"),
            (.ifOffered, none, "MAIL FROM:<a@dev.example>"), (.ifOffered, offer, "STARTTLS"),
            (.implicit, offer, "MAIL FROM:<a@dev.example>"),
        ] as [(SMTPDialogue.Security, String, String)] {
            let client = try self.client(security, account: false)
            #expect(try client.played(["220 x", extensions]).last == expected)
        }
        let refused = try self.client(.ifOffered, account: false)
        #expect(
            try refused.played(["220 x", offer, "454 later"]).last == "failed(\"STARTTLS failed: 454 later\")",
            "what was offered is not done without")
    }

    @Test("RFC 3207 4.2: what the server offered in the clear is forgotten")
    func forgotten() throws {
        let client = try self.client()
        let did = try client.played([
            "220 x", "250-x\n250-AUTH PLAIN\n250 STARTTLS", "220 go", "TLS", "250-x\n250 8BITMIME",
        ])
        #expect(did.last == "failed(\"the server offers no login\")")
    }

    @Test("RFC 5321 3.2: a server that does not know EHLO is greeted by HELO, if it need offer nothing")
    func oldServer() throws {
        let old = try self.client(.ifOffered, account: false)
        #expect(
            try old.played(["220 x", "502 what?", "250-x\n250 STARTTLS"]).suffix(2)
                == ["HELO dev.example", "MAIL FROM:<a@dev.example>"])
        for (security, account) in [(.ifOffered, true), (.required, false)] as [(SMTPDialogue.Security, Bool)] {
            let client = try self.client(security, account: account)
            #expect(try client.played(["220 x", "502 what?"]).last?.hasPrefix("failed") == true)
        }
    }

    @Test(
        "Each step takes its own reply alone",
        arguments: [
            (["554 no service"], "the server is not ready: 554"), (["250 OK"], "the server is not ready: 250"),
            (["220 x", "220 x"], "EHLO failed: 220"), (["220 x", "250 x", "354 go"], "MAIL failed: 354"),
            (["220 x", "250 x", "250 x", "221 bye"], "RCPT failed: 221"),
            (["220 x", "250 x", "250 x", "250 x", "250 x"], "DATA failed: 250"),
        ])
    func wrongReplies(replies: [String], text: String) throws {
        let client = try self.client(.implicit, account: false)
        let last = try client.played(replies).last ?? ""
        #expect(last.hasPrefix("failed(\"\(text)"), "\(last)")
    }

    @Test("A reply to the whole mail that neither accepts nor refuses leaves the outcome open")
    func openOutcome() throws {
        let client = try self.client(.implicit, account: false)
        let last = try client.played(["220 x", "250 x", "250 x", "250 x", "354 go", "354 go"]).last
        #expect(last == "unanswered(\"the mail was refused: 354\")")
    }

    @Test("RFC 5321 4.2: replies come in any pieces, and one that is none, or is too long, is refused")
    func reader() throws {
        var reader = SMTPReplyReader()
        var replies: [Int] = []
        for byte in Array("250-a\r\n250 b\r\n354 go\n221".utf8) {
            reader.append([byte])
            while let reply = try reader.next() { replies.append(reply.code) }
        }
        #expect(replies == [250, 354] && !reader.isEmpty)
        for text in ["garbage\r\n", "250-a\r\n550 b\r\n", "25\r\n", String(repeating: "2", count: 70_000)] {
            var reader = SMTPReplyReader()
            reader.append(Array(text.utf8))
            #expect(throws: SMTPReplyReader.Unreadable.self) { try reader.next() }
        }
    }

    @Test("RFC 5321 4.5.2: leading dots are doubled, and a line with one dot ends the mail")
    func transmitted() {
        for (message, sent) in [
            ("a\r\n", "a\r\n.\r\n"), (".\r\n..b\r\na.\r\n", "..\r\n...b\r\na.\r\n.\r\n"), ("a", "a\r\n.\r\n"),
            ("", ".\r\n"),
        ] {
            #expect(SMTPDialogue.transmitted(Array(message.utf8)) == Array(sent.utf8), "\(message)")
        }
    }

    @Test("RFC 5321 4.5.3.2: each step has its own time, and a tenant's server less in all than the operator's")
    func times() {
        let (operators, tenants) = (SMTPLimits.operators, SMTPLimits.tenants)
        #expect(operators.time(for: .greeting) == .seconds(300) && operators.time(for: .recipient) == .seconds(300))
        #expect(operators.time(for: .data) == .seconds(120) && operators.block == .seconds(180))
        #expect(operators.time(for: .acceptance) == .seconds(600))
        #expect(tenants.connecting == .seconds(5) && tenants.time(for: .greeting) == .seconds(60))
        #expect(tenants.whole < operators.whole)
        #expect(operators.within(.seconds(10)).whole == .seconds(20))
    }
}
