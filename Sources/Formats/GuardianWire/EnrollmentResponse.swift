import Primitives

/// The answer to `POST api/enroll`. The Android SDK needs all five strings, and a `totp` that is either complete or
/// absent.
package struct EnrollmentResponse: Sendable, Equatable {
    package var id: String
    /// The server's public base. Empty if another server sent none.
    package var url: String
    package var issuer: String
    package var userID: String
    /// Authorises changes of this device account.
    package var token: String
    package var recoveryCode: String?
    package var totp: TOTPParameters?
    /// Secret with which the phone says, once, that its key is gone. It does nothing else. Nil from another server.
    package var farewell: String?

    package init(
        id: String, url: String, issuer: String, userID: String, token: String, recoveryCode: String? = nil,
        totp: TOTPParameters? = nil, farewell: String? = nil
    ) {
        self.farewell = farewell
        self.id = id
        self.url = url
        self.issuer = issuer
        self.userID = userID
        self.token = token
        self.recoveryCode = recoveryCode
        self.totp = totp
    }

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        id = try members.string("id")
        url = try members.optionalString("url") ?? ""
        issuer = try members.string("issuer")
        userID = try members.string("user_id")
        token = try members.string("token")
        recoveryCode = try members.optionalString("recovery_code")
        farewell = try members.optionalString("farewell")
        let totp = try members.optionalMembers("totp")
        self.totp = if let totp { try TOTPParameters(totp) } else { nil }
    }

    package var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("id", id)
            writer.member("url", url)
            writer.member("issuer", issuer)
            writer.member("user_id", userID)
            writer.member("token", token)
            writer.member("recovery_code", ifPresent: recoveryCode)
            writer.member("farewell", ifPresent: farewell)
            if let totp { writer.member("totp", object: totp.write) }
        }
    }
}
