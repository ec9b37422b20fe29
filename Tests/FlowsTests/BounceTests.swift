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

        func approvalMail(of request: Int64, to user: UserID) async throws -> (request: SealedRequest, user: User?)? {
            nil
        }

        func retire(
            address: EmailAddress, of tenant: TenantID, bounce: EmailBounce,
            event: @escaping @Sendable (UserID) -> AuditEvent
        ) async throws -> [UserID] {
            retired.withLock { $0.append("\(tenant) \(address) \(bounce.status)") }
            return [UserID("auth0|ann")]
        }
    }

    private func note(_ bytes: [UInt8], after duration: Duration = .seconds(60)) async throws -> [String] {
        let source = Source()
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

    @Test("A report about a mail of this server retires its address in its tenant")
    func retires() async throws {
        #expect(try await note(Self.report(id: id)) == ["dev ann@example.org 5.1.1"])
        // The mail was forwarded to another mailbox, which is gone.
        #expect(try await note(Self.report(id: id, final: "other@example.org")) == ["dev ann@example.org 5.1.1"])
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
            Self.report(id: id, status: "5.7.1"),
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
