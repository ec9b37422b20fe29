@testable import GuardianWire
import Primitives
import Testing

@Suite("Push payloads")
struct NotificationPayloadTests {
    static let payload = NotificationPayload(
        title: "Example", body: "Approve the request", enrollmentID: "dev_5Zk2", transactionToken: "tx.tok",
        transactionLinkingID: "cns_1", challenge: "chl", date: Timestamp(milliseconds: 1_795_168_800_000),
        host: "id.example.org",
        source: .init(browser: .init(name: "Safari", version: "19"), system: .init(name: "macOS", version: "26")),
        location: .init(name: "Luzern", latitude: 47.05, longitude: 8.31))

    static let apns =
        #"{"aps":{"alert":{"title":"Example","body":"Approve the request"},"category":"com.auth0.notification.authentication","mutable-content":1,"sound":"default"},"mfa":{"dai":"dev_5Zk2","txtkn":"tx.tok","txlnkid":"cns_1","c":"chl","d":"2026-11-20T10:00:00.000Z","sh":"id.example.org","s":{"b":{"n":"Safari","v":"19"},"os":{"n":"macOS","v":"26"}},"l":{"n":"Luzern","lat":"47.05","long":"8.31"}}}"#

    @Test("APNs: the payload is written exactly and read back")
    func apnsExact() throws {
        #expect(String(decoding: Self.payload.apns, as: UTF8.self) == Self.apns)
        #expect(try NotificationPayload(apnsParsing: Self.payload.apns) == Self.payload)
    }

    @Test("The spelling txlinkid of Auth0's documents is read too")
    func linkid() throws {
        let text = Self.apns.replacing("txlnkid", with: "txlinkid")
        #expect(try NotificationPayload(apnsParsing: Array(text.utf8)).transactionLinkingID == "cns_1")
    }

    @Test(
        "A push of another category, or with a missing member, is not Guardian's",
        arguments: ["dai", "txtkn", "c", "d", "sh"])
    func required(member: String) {
        let text = Self.apns.replacing("\"\(member)\":", with: "\"x\":")
        #expect(throws: GuardianWireFailure.missing("mfa.\(member)")) {
            try NotificationPayload(apnsParsing: Array(text.utf8))
        }
        #expect(throws: GuardianWireFailure.self) {
            try NotificationPayload(apnsParsing: Array(Self.apns.replacing("authentication\"", with: "other\"").utf8))
        }
    }

    @Test("An unreadable source or location does not fail the push")
    func lenientHints() throws {
        let text = Self.apns.replacing(#""n":"Safari","#, with: "").replacing(#""n":"macOS","#, with: "")
            .replacing(#""lat":"47.05""#, with: #""lat":true"#)
        let payload = try NotificationPayload(apnsParsing: Array(text.utf8))
        #expect(payload.source == nil)
        #expect(payload.location?.latitude == nil)
        #expect(payload.location?.name == "Luzern")
    }
}
