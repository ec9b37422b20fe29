import Audit
import AuthorizationCore
@testable import Flows
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Returned mails (RFC 3464)")
struct BounceTests {
    private static let ids = MailIDs(key: SecretBytes([UInt8](repeating: 7, count: 32)), hashing: Samples.hashing)

    private static func report(
        id: String, to: String = "ann@example.org", final: String = "ann@example.org", action: String = "failed",
        status: String = "5.1.1",
        type: String = "message/delivery-status", returned: String = "text/rfc822-headers"
    ) -> [UInt8] {
        Array(
            """
            From: MAILER-DAEMON@mail.example\r
            Content-Type: multipart/report; report-type=delivery-status;\r
            \tboundary="B=1/x"\r
            \r
            --B=1/x\r
            Content-Type: text/plain\r
            \r
            Your mail: Message-ID: <forged@x>\r
            --B=1/x\r
            Content-Type: \(type)\r
            \r
            Reporting-MTA: dns; mail.example\r
            \r
            Final-Recipient: rfc822; \(final)\r
            Action: \(action)\r
            Status: \(status) (bad mailbox)\r
            \r
            --B=1/x\r
            Content-Type: \(returned)\r
            \r
            To: Ann <\(to)>\r
            Message-ID:\r
             <\(id)@dev.example>\r
            --B=1/x--\r

            """.utf8)
    }

    private final class Source: MailSource {
        let retired = Mutex<[String]>([])
        let reopened = Mutex<[String]>([])
        let mailed = Mutex<[Timestamp]>([])

        func approvalMail(of request: Int64, to user: UserID) async throws -> (request: SealedRequest, user: User?)? {
            nil
        }

        func metadata(of user: UserID, in tenant: TenantID) async throws -> UserMetadata { UserMetadata() }

        func retire(
            address: EmailAddress, of tenant: TenantID, bounce: EmailBounce, mailedAt: Timestamp,
            event: @escaping @Sendable (UserID) -> AuditEvent
        ) async throws -> [UserID] {
            mailed.withLock { $0.append(mailedAt) }
            retired.withLock { $0.append("\(tenant) \(address) \(bounce.status)") }
            return [UserID("auth0|ann")]
        }

        func reopen(_ entry: Int64, of tenant: TenantID, problem: String, now: Timestamp) async throws -> Bool {
            reopened.withLock { $0.append("\(tenant) \(entry) \(problem)") }
            return true
        }
    }

    private func note(
        _ bytes: [UInt8], after duration: Duration = .seconds(60), _ source: Source = Source()
    ) async throws -> [String] {
        let report = try #require(BounceReport(parsing: bytes))
        _ = try await NoteBounce(source: source, ids: Self.ids).note(
            report, tenants: [TenantID("other"), TenantID("dev")], now: Samples.start + duration
        ) { AuditEvent(.emailBounced, tenant: $0, at: Samples.start, user: $1, details: $2) }
        return source.retired.withLock { $0 }
    }

    private let id = ids.id(of: 5, at: Samples.start, to: "ann@example.org", tenant: TenantID("dev"))

    @Test("A report of a mail counts for 7 days, and its age cannot be changed")
    func old() async throws {
        let limit = Duration.seconds(7 * 86_400)
        #expect(try await note(Self.report(id: id), after: limit - .seconds(1)).count == 1)
        #expect(try await note(Self.report(id: id), after: limit).isEmpty)
        let seconds = Samples.start.seconds
        let younger = id.replacing("x\(seconds)x", with: "x\(seconds + 86_400)x")
        #expect(younger != id)
        #expect(try await note(Self.report(id: younger), after: limit).isEmpty)
    }

    @Test("RFC 6533 3: reports of mails with addresses in UTF-8 count, too")
    func global() async throws {
        for returned in ["message/global", "message/global-headers"] {
            let report = Self.report(id: id, type: "message/global-delivery-status", returned: returned)
            #expect(try await note(report).count == 1, "\(returned)")
        }
    }

    @Test("A report speaks for the time of its mail, whenever it comes")
    func mailedAt() async throws {
        let source = Source()
        _ = try await note(Self.report(id: id), after: .seconds(86_400), source)
        #expect(source.mailed.withLock { $0 } == [Samples.start])
    }

    @Test("A report about a mail of this server retires its address in its tenant")
    func retires() async throws {
        #expect(try await note(Self.report(id: id)) == ["dev ann@example.org 5.1.1"])
        // The mail was forwarded to another mailbox, which is gone.
        #expect(try await note(Self.report(id: id, final: "other@example.org")) == ["dev ann@example.org 5.1.1"])
    }

    @Test("RFC 5890 2.3.2.1: a report may name the address with U-labels")
    func internationalized() async throws {
        let id = Self.ids.id(
            of: 5, at: Samples.start, to: "ann@xn--bcher-kva.example", tenant: TenantID("dev"))
        for text in ["ann@xn--bcher-kva.example", "Ann@BÜCHER.example", "ann@bu\u{308}cher.example"] {
            let retired = try await note(Self.report(id: id, to: text, final: text))
            #expect(retired == ["dev ann@xn--bcher-kva.example 5.1.1"], "\(text)")
        }
    }

    @Test("A request whose mail came back goes on or ends, also if the report does not condemn the address")
    func reopens() async throws {
        let source = Source()
        for status in ["5.1.1", "5.2.2"] { _ = try await note(Self.report(id: id, status: status), source) }
        for bytes in [
            Self.report(id: id, action: "delayed"), Self.report(id: id.replacing("5x", with: "6x")),
        ] {
            #expect(try await note(bytes, source).count == 1, "only the first")
        }
        #expect(
            source.reopened.withLock { $0 } == [
                "dev 5 the mail came back with the status 5.1.1", "dev 5 the mail came back with the status 5.2.2",
            ])
    }

    @Test("The id may be in this server's own header, because some servers replace Message-ID")
    func replaced() async throws {
        func report(_ header: String, id: String) -> [UInt8] {
            let text = String(decoding: Self.report(id: id), as: UTF8.self)
            return Array(text.replacing("Message-ID:\r\n", with: "\(header)\r\nMessage-ID:\r\n").utf8)
        }
        let other = "0102019a-1"
        #expect(try await note(Self.report(id: other)).isEmpty)
        #expect(try await note(report("X-Countersign-Id: \(id)", id: other)).count == 1)
        #expect(try await note(report("X-Countersign-Id: \(id)x", id: other)).isEmpty)
        // A header that somebody wrote takes nothing from the other.
        #expect(try await note(report("X-Countersign-Id: 1", id: id)).count == 1)
    }

    @Test("The status 5.0.0 says nothing; then that of the diagnosis counts, as with Exim")
    func diagnosis() async throws {
        func report(_ diagnosis: String, status: String = "5.0.0") -> [UInt8] {
            let text = String(decoding: Self.report(id: id, status: status), as: UTF8.self)
            return Array(text.replacing("(bad mailbox)\r\n", with: "\r\nDiagnostic-Code: \(diagnosis)\r\n").utf8)
        }
        for (diagnosis, count) in [
            ("smtp; 550 5.1.1 <ann@example.org>: unknown", 1), ("SMTP;550-5.1.1 The account\r\n does not exist", 1),
            ("smtp; 550 5.7.1 policy", 0), ("smtp; 550 unknown", 0), ("x-unix; 550 5.1.1 unknown", 0),
            ("smtp; 5.1.1", 0),
        ] {
            #expect(try await note(report(diagnosis)).count == count, "\(diagnosis)")
        }
        #expect(try await note(report("smtp; 550 5.1.1 unknown", status: "5.7.1")).isEmpty)
    }

    @Test(
        "RFC 2045, 2046: blanks after boundaries and values, comments and quotation marks change nothing",
        arguments: [
            ("--B=1/x\r\n", "--B=1/x \t\r\n"), ("Action: failed", "Action:  failed \t"),
            ("Status: 5.1.1", "Status: 5.1.1  "),
            ("boundary=\"B=1/x\"", "boundary=\"B=1/x\" (a; boundary=C)"),
            ("report-type=delivery-status;", "x=\"a;b\\\"c\";"),
            ("multipart/report;", "multipart/report (boundary=C);"), ("\r\n\r\nFinal", "\r\n  \r\nFinal"),
        ])
    func spellings(text: String, other: String) async throws {
        let report = String(decoding: Self.report(id: id), as: UTF8.self)
        #expect(report.contains(text))
        #expect(try await note(Array(report.replacing(text, with: other).utf8)).count == 1)
        let unquoted = report.replacing("B=1/x", with: "B_1").replacing("\"B_1\"", with: "B_1 (C)")
        #expect(try await note(Array(unquoted.utf8)).count == 1)
    }

    @Test("RFC 2046 5.1.1: a boundary has at most 70 characters, and a report of any size takes little time")
    func boundaries() {
        for (length, isTaken) in [(70, true), (71, false), (500_000, false)] {
            let boundary = String(repeating: "b", count: length)
            let report = String(decoding: Self.report(id: "5x00"), as: UTF8.self).replacing("B=1/x", with: boundary)
            let clock = ContinuousClock()
            let start = clock.now
            let padded = Array((report + String(repeating: "a\r\n", count: 20_000)).utf8.prefix(BounceReport.limit))
            #expect((BounceReport(parsing: padded) != nil) == isTaken)
            #expect(clock.now - start < .seconds(5) * Patience.factor)
        }
    }

    @Test("A forged report, a delay and a full mailbox retire nothing")
    func ignored() async throws {
        for bytes in [
            Self.report(id: id, to: "eve@example.org", final: "eve@example.org"),
            Self.report(id: "5x" + String(repeating: "0", count: 32)),
            Self.report(id: "5"), Self.report(id: id.replacing("5x", with: "6x")),
            Self.report(id: Self.ids.id(of: 5, at: Samples.start, to: "ann@example.org", tenant: TenantID("else"))),
            Self.report(id: id, action: "delayed"),
            Self.report(id: id, status: "5.2.2"), Self.report(id: id, status: "4.1.1"),
            Self.report(id: id, status: "5.7.1"), Self.report(id: id, status: "5.1.0"),
        ] {
            #expect(try await note(bytes).isEmpty)
        }
    }

    @Test(
        "Anything else is no report",
        arguments: ["", "\r\n\r\n", "Content-Type: multipart/report\r\n\r\nx", "a: b\r\n\r\n--\r\n"])
    func garbage(text: String) {
        #expect(BounceReport(parsing: Array(text.utf8)) == nil)
        let whole = Self.report(id: "5x00")
        for count in stride(from: 0, to: whole.count, by: 7) { _ = BounceReport(parsing: Array(whole.prefix(count))) }
        #expect(BounceReport(parsing: whole + [UInt8](repeating: 0x20, count: BounceReport.limit)) == nil)
    }
}
