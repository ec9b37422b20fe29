import AuthorizationCore
import Flows
import OAuthWire
import TestSupport
import Testing

@Suite("Choosing the notification channel")
struct ChannelTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var configured: [Client.NotificationChannel]?
        var expiry = 300
        var hasPhone = true
        var hasVerifiedEmail = true
        var allowsLongPush = false
        var pushEnabled = true
        var sendsMail = true
        /// The channel, or the error's text after its first sentence.
        var expected: String

        var testDescription: String {
            let names = configured?.map(\.rawValue).joined(separator: "+") ?? "default"
            return "\(names), \(expiry) s → \(expected)"
        }
    }

    private static let noPhone = "guardian-push: User does not have push notifications set up"
    private static let noEmail = "email: User does not have a verified email address"
    private static let longPush = "guardian-push: requested_expiry over 300 seconds is not allowed for this client"
    private static let pushOff = "guardian-push: push notifications not enabled on tenant"

    private static let noDevice =
        "page: User has no device that could answer, and the client does not have the page alone"

    static let rows: [Row] = [
        Row(expected: "guardian-push"),
        Row(hasPhone: false, expected: noPhone),
        Row(pushEnabled: false, expected: pushOff),
        Row(configured: [.guardianPush, .email], expected: "guardian-push"),
        Row(configured: [.email, .guardianPush], expected: "email"),
        Row(configured: [.guardianPush, .email], hasPhone: false, expected: "email"),
        Row(
            configured: [.guardianPush, .email], hasPhone: false, hasVerifiedEmail: false,
            expected: "\(noPhone), \(noEmail)"),
        Row(
            configured: [.guardianPush, .email], hasPhone: false, sendsMail: false,
            expected: "\(noPhone), email: email notifications are not available on this server"),
        Row(configured: [.email], hasVerifiedEmail: false, expected: noEmail),
        Row(configured: [.guardianPush, .email], expiry: 301, expected: "email"),
        Row(configured: [.guardianPush, .email], expiry: 301, hasVerifiedEmail: false, expected: noEmail),
        Row(configured: [.guardianPush], expiry: 301, expected: longPush),
        Row(configured: [.guardianPush], expiry: 301, allowsLongPush: true, expected: "guardian-push"),
        Row(configured: [.guardianPush], expiry: 259_200, allowsLongPush: true, expected: "guardian-push"),
        Row(expiry: 301, expected: longPush),
        Row(configured: [], expected: ""),
        Row(configured: [.page], hasPhone: false, pushEnabled: false, sendsMail: false, expected: "page"),
        Row(configured: [.page], expiry: 259_200, hasPhone: false, expected: "page"),
        Row(configured: [.email, .page], hasPhone: false, hasVerifiedEmail: false, expected: "page"),
        Row(configured: [.email, .page], expiry: 301, sendsMail: false, expected: "page"),
        Row(configured: [.guardianPush, .page], expected: "guardian-push"),
        Row(configured: [.guardianPush, .page], expiry: 301, expected: "page"),
        Row(configured: [.page, .guardianPush], expected: "page"),
        Row(configured: [.guardianPush, .page], hasPhone: false, expected: "\(noPhone), \(noDevice)"),
    ]

    @Test("The channel follows from expiry, order, the user's devices and the server's channels", arguments: rows)
    func selection(row: Row) async throws {
        let client = Samples.client { client in
            client.notificationChannels = row.configured
            client.allowsLongPush = row.allowsLongPush
        }
        let fixture = try await FlowFixture(
            tenant: Samples.tenant { $0.settings.pushEnabled = row.pushEnabled }, clients: [client],
            phone: row.hasPhone,
            ann: { ann in
                ann.email = "ann@example.org"
                ann.emailVerified = row.hasVerifiedEmail
            })
        let changes = ["requested_expiry": String(row.expiry)]
        if Client.NotificationChannel(rawValue: row.expected) != nil {
            let answer = try await fixture.start(changes, sendsMail: row.sendsMail)
            #expect(try await fixture.stored(answer.authReqID).channel.rawValue == row.expected)
            #expect(answer.expiresIn == row.expiry)
            let told = try await fixture.made.database.count("delivery")
            #expect(told == (row.expected == "page" ? 0 : 1), "one phone or mailbox is told")
        } else {
            let error = try await oauthError { _ = try await fixture.start(changes, sendsMail: row.sendsMail) }
            #expect(error.code == .invalidRequest)
            let reasons = row.expected.isEmpty ? "" : " \(row.expected)"
            #expect(error.description.text == "No eligible notification channels were found.\(reasons)")
        }
    }

    @Test("The page needs a device that signs if an API demands a signature", arguments: [false, true])
    func pageWithEvidence(hasPhone: Bool) async throws {
        let fixture = try await FlowFixture(
            clients: [Samples.client { $0.notificationChannels = [.page] }],
            apis: [try Samples.resourceServer { $0.evidence = .signedDigest }], phone: hasPhone)
        let error = try await oauthError { _ = try await fixture.start(["audience": Samples.api]) }
        #expect(
            error.description.text
                == "No eligible notification channels were found. page: User has no device that signs the "
                + "digest of a request, which is demanded as evidence")
    }
}
