package import Primitives

/// A push that tells a device's app that a request needs no answer any more, so that the app removes its notification.
/// Additional to Auth0's pushes: apps that do not know it find no category or no challenge, and ignore it.
package struct WithdrawalPayload: Sendable, Equatable {
    /// `dai`: the notified enrolment.
    package let enrollmentID: String
    /// `txlnkid`: the consent record's id.
    package let transactionLinkingID: String

    package init(enrollmentID: String, transactionLinkingID: String) {
        self.enrollmentID = enrollmentID
        self.transactionLinkingID = transactionLinkingID
    }

    /// Reads APNs' form.
    package init(apns value: JSONValue) throws(GuardianWireFailure) {
        let members = try Members(value).members("withdrawn")
        self.init(enrollmentID: try members.string("dai"), transactionLinkingID: try members.string("txlnkid"))
    }

    /// APNs' form, which wakes the app and shows nothing.
    package var apns: [UInt8] { JSONWriter.object(writeAPNs) }

    private func writeAPNs(to writer: inout JSONWriter) {
        writer.member("aps") { writer in writer.member("content-available", 1) }
        writer.member("withdrawn") { writer in
            writer.member("dai", enrollmentID)
            writer.member("txlnkid", transactionLinkingID)
        }
    }

    /// Firebase's data message.
    package var fcmData: JSONObject { ["dai": .string(enrollmentID), "withdrawn": .string(transactionLinkingID)] }
}
