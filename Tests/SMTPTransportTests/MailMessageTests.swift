@testable import Flows
import Localization
import Primitives
@testable import SMTPTransport
import TestSupport
import Testing

@Suite("Messages (RFC 5322)")
struct MailMessageTests {
    private func message(
        subject: String = "s", text: String = "t", name: String = "", id: String = "0a1b",
        _ encoding: MailMessage.Encoding = .quotedPrintable
    ) throws -> String {
        let bytes = MailMessage(
            from: try #require(MailAddress("login@dev.example")), to: try #require(MailAddress("ann@example.org")),
            finished: FinishedMail(
                to: "ann@example.org", subject: subject, text: text, html: "<p>\(text)</p>", language: .german,
                senderName: name, id: id), date: Samples.start
        ).bytes(encoding)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("RFC 5322 clause 3.6: a message has every required header")
    func whole() throws {
        #expect(
            try message(subject: "Hello", text: "One\nTwo") == """
                From: login@dev.example\r
                To: ann@example.org\r
                Subject: Hello\r
                Date: Fri, 20 Nov 2026 10:00:00 +0000\r
                Message-ID: <0a1b@dev.example>\r
                X-Countersign-Id: 0a1b\r
                Content-Language: de\r
                Auto-Submitted: auto-generated\r
                MIME-Version: 1.0\r
                Content-Type: multipart/alternative;\r
                 boundary="=_0a1b"\r
                \r
                --=_0a1b\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: quoted-printable\r
                \r
                One\r
                Two\r
                --=_0a1b\r
                Content-Type: text/html; charset=utf-8\r
                Content-Transfer-Encoding: quoted-printable\r
                \r
                <p>One\r
                Two</p>\r
                --=_0a1b--\r

                """)
    }

    @Test(
        "RFC 5322 clause 2.1.1, RFC 2047 clause 2: no line of a header has more than 78 characters, or 76 with encoded words",
        arguments: ["Plain", String(repeating: "é", count: 100), String(repeating: "x", count: 60)])
    func folded(text: String) throws {
        let id = "4711000x1795168800x\(String(repeating: "f", count: 32))"
        let head = try message(subject: text, name: text, id: id).split(separator: "\r\n\r\n")[0]
        for line in head.split(separator: "\r\n") {
            #expect(line.utf8.count <= (line.contains("=?") ? 76 : 78), "\(line)")
        }
        #expect(head.contains("multipart/alternative;\r\n boundary="))
    }

    @Test(
        "RFC 5322 clause 3.3: dates",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (951_782_399, "Mon, 28 Feb 2000 23:59:59 +0000"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 +0000"),
        ] as [(Int64, String)])
    func dates(seconds: Int64, text: String) {
        #expect(MailMessage.date(Timestamp(seconds: seconds)) == text)
    }

    @Test("RFC 2047 clause 2: all but short ASCII is in encoded words of at most 75 characters, no scalar split")
    func subjects() throws {
        #expect(MailMessage.unstructured("Plain: text") == "Plain: text")
        #expect(MailMessage.unstructured("Choisir : été") == "=?UTF-8?B?Q2hvaXNpciA6IMOpdMOp?=")
        for text in [
            String(repeating: "é", count: 200), String(repeating: "x", count: 61), "a =?x?= b",
            String(repeating: "👩‍🚀", count: 30),
        ] {
            let words = MailMessage.unstructured(text).split(separator: "\r\n ")
            var bytes: [UInt8] = []
            for word in words {
                #expect(word.utf8.count <= 75)
                let content = try #require(Base64.decode(word.dropFirst(10).dropLast(2)))
                #expect(String(validating: content, as: UTF8.self) != nil)
                bytes += content
            }
            #expect(String(decoding: bytes, as: UTF8.self) == text)
        }
    }

    @Test(
        "RFC 5322 clause 3.4: a sender's name is quoted or encoded",
        arguments: [
            ("", "login@dev.example"), ("Shop", "\"Shop\" <login@dev.example>"),
            (#"A "B" \ <c@d>"#, #""A \"B\" \\ <c@d>" <login@dev.example>"#),
            ("Café", "=?UTF-8?B?Q2Fmw6k=?= <login@dev.example>"),
        ])
    func names(name: String, expected: String) throws {
        #expect(MailMessage.mailbox(name, try #require(MailAddress("login@dev.example"))) == expected)
    }

    @Test("No part of a mail becomes a header")
    func injection() throws {
        let subject = "a\r\nBcc: eve@example.org\n\nx\u{0}\u{85}"
        let text = "\r\n.\r\nMAIL FROM:<eve@example.org>\r\n\u{1B}[2J"
        for encoding in [MailMessage.Encoding.quotedPrintable, .eightBit] {
            let all = try message(subject: subject, text: text, encoding)
            let head = try #require(all.split(separator: "\r\n\r\n", maxSplits: 1).first)
            #expect(head.split(separator: "\r\n").filter { !$0.hasPrefix(" ") }.count == 10)
            #expect(try message(name: subject).split(separator: "\r\n\r\n")[0].contains("\nBcc") == false)
            #expect(!all.contains("\nBcc") && !all.contains("\u{1B}"))
        }
        for text in [
            "a\r\n@x", "a b@x", "a>@x", "<a@x>", "a@x,b@y", "a@b@c", "@x", "a@", "é@x", "a@x\n", "\"a\"@x", "a;b@x", "",
            String(repeating: "a", count: 254) + "@x",
        ] {
            #expect(MailAddress(text) == nil, "\(text)")
        }
        #expect(MailAddress("o'ann+x@sub.example.org") != nil)
    }

    @Test(
        "RFC 2045 clause 6.7: quoted-printable",
        arguments: [
            ("a=b", "a=3Db"), ("é", "=C3=A9"), ("blank ", "blank=20"), ("a b", "a b"), (".", "."), ("tab\t", "tab=09"),
            (String(repeating: "x", count: 76), String(repeating: "x", count: 76)),
            (String(repeating: "x", count: 77), String(repeating: "x", count: 75) + "=\r\nxx"),
            (
                String(repeating: "x", count: 74) + "é",
                String(repeating: "x", count: 74) + "=\r\n=C3=A9"
            ),
        ])
    func quoted(line: String, expected: String) {
        #expect(MailMessage.quotedPrintable(line) == expected)
    }

    @Test("A text survives quoted-printable, with encoded lines of at most 76 characters")
    func roundTrip() throws {
        let random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            let scalars = random.bytes(300).map { byte -> Unicode.Scalar in
                byte < 200 ? Unicode.Scalar(0x20 + byte % 0x5F) : Unicode.Scalar(0xA1 + byte % 0x5E)
            }
            let line = String(String.UnicodeScalarView(scalars))
            let encoded = MailMessage.quotedPrintable(line)
            #expect(encoded.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 76 })
            #expect(
                PercentEncoding.decode(
                    Array(
                        encoded.replacing("=\r\n", with: "").replacing("%", with: "=25").replacing("=", with: "%").utf8)
                )
                    == line)
        }
    }
}
