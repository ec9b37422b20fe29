import GuardianWire
import Primitives

/// News that a request needs no answer any more: another device answered it, or it was cancelled.
public struct Withdrawal: Sendable, Hashable {
    /// ``EnrolledDevice/id`` of the addressed device.
    public let enrollmentId: String
    /// ``Notification/transactionLinkingId`` of the request whose notification to remove.
    public let transactionLinkingId: String

    init?(userInfo: [AnyHashable: Any]) {
        guard let value = JSONValue(foundation: userInfo, depth: 8), let payload = try? WithdrawalPayload(apns: value)
        else { return nil }
        enrollmentId = payload.enrollmentID
        transactionLinkingId = payload.transactionLinkingID
    }
}
