import Foundation
@testable import Guardian
import GuardianWire
import Primitives
import Testing

@Suite("Reading a push")
struct NotificationTests {
    func userInfo(_ change: (inout [String: Any]) -> Void = { _ in }) -> [AnyHashable: Any] {
        var mfa: [String: Any] = [
            "dai": "dev_1", "txtkn": "t", "txlnkid": "cns_1", "c": "chl", "d": "2026-11-20T10:00:00.000Z",
            "sh": "id.example.org", "s": ["b": ["n": "Safari", "v": "19"], "os": ["n": "macOS"]],
            "l": ["n": "Luzern", "lat": 47.05, "long": NSNumber(value: 8.31)] as [String: Any],
        ]
        change(&mfa)
        return ["aps": ["category": "com.auth0.notification.authentication", "badge": 1], "mfa": mfa]
    }

    @Test("Every member of the payload")
    func complete() throws {
        let received = Guardian.notification(from: userInfo())
        let notification = try #require(received)
        #expect(notification.domain == "id.example.org")
        #expect(notification.enrollmentId == "dev_1")
        #expect(notification.transactionToken == "t")
        #expect(notification.transactionLinkingId == "cns_1")
        #expect(notification.challenge == "chl")
        #expect(notification.source?.browser?.version == "19")
        #expect(notification.source?.os?.name == "macOS")
        #expect(notification.location?.latitude == 47.05)
        #expect(notification.location?.longitude == 8.31)
        #expect(notification.startedAt == Date(Fixtures.now))
    }

    @Test("A payload from JSONSerialization reads the same")
    func serialized() throws {
        let object = try JSONSerialization.jsonObject(with: Data(Fixtures.payload.apns))
        let userInfo = try #require(object as? [String: Any])
        let received = Guardian.notification(from: userInfo)
        #expect(received == Notification(Fixtures.payload))
    }

    @Test("A withdrawal as the server pushes it names its request, and a request and anything else are none")
    func withdrawal() throws {
        let payload = WithdrawalPayload(enrollmentID: "dev_1", transactionLinkingID: "cns_1")
        let object = try JSONSerialization.jsonObject(with: Data(payload.apns))
        let userInfo = try #require(object as? [String: Any])
        let withdrawal = Guardian.withdrawal(from: userInfo)
        #expect(withdrawal?.enrollmentId == "dev_1" && withdrawal?.transactionLinkingId == "cns_1")
        #expect(Guardian.notification(from: userInfo) == nil)
        #expect(Guardian.withdrawal(from: self.userInfo()) == nil)
        #expect(Guardian.withdrawal(from: ["withdrawn": ["dai": 7]]) == nil)
    }

    @Test("The spelling txlinkid of Auth0's documents is read too")
    func documented() {
        let received = Guardian.notification(
            from: userInfo {
                $0["txlnkid"] = nil
                $0["txlinkid"] = "cns_2"
            })
        #expect(received?.transactionLinkingId == "cns_2")
    }

    @Test("Other pushes are not Guardian's", arguments: ["dai", "txtkn", "c", "d", "sh"])
    func foreign(member: String) {
        let withoutMember = Guardian.notification(from: userInfo { $0[member] = nil })
        #expect(withoutMember == nil)
        let wrongType = Guardian.notification(from: userInfo { $0[member] = 7 })
        #expect(wrongType == nil)
        let empty = Guardian.notification(from: [:])
        #expect(empty == nil)
        let other = Guardian.notification(from: ["aps": ["category": "other"]])
        #expect(other == nil)
    }

    @Test("A payload with a value that is not JSON is ignored without a trap")
    func strange() {
        let received = Guardian.notification(from: userInfo { $0["extra"] = Date() })
        #expect(received != nil)
        var deep: Any = "x"
        for _ in 0..<5000 { deep = ["n": deep] }
        let nested = Guardian.notification(from: userInfo { $0["extra"] = deep })
        #expect(nested != nil)
    }
}
