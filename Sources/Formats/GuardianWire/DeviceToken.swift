package import JOSE
package import Primitives

/// Claims of the token that a device signs to change its account or open the device channel.
package struct DeviceToken: Sendable, Equatable {
    /// `exp` − `iat` of the SDKs' tokens.
    package static let lifetime: Duration = .seconds(7200)

    /// `iss`
    package var enrollmentID: String
    /// `sub`
    package var userID: String
    /// `aud`: `ApplianceBase.deviceAccounts` (without the enrolment's id) or `ApplianceBase.notifications`.
    package var audience: String
    package var issuedAt: Timestamp
    package var expires: Timestamp

    package init(enrollmentID: String, userID: String, audience: String, issuedAt: Timestamp) {
        self.enrollmentID = enrollmentID
        self.userID = userID
        self.audience = audience
        self.issuedAt = issuedAt
        expires = issuedAt + Self.lifetime
    }

    /// Reads the claims. The caller checks their signature, times and origin.
    package init(_ claims: Claims) throws(GuardianWireFailure) {
        let members = try Members(.object(claims.members), path: "token")
        enrollmentID = try members.string("iss")
        userID = try members.string("sub")
        audience = try members.string("aud")
        issuedAt = try claims.required("iat", in: members)
        expires = try claims.required("exp", in: members)
    }

    /// The JWT's payload.
    package var payload: [UInt8] {
        JSONWriter.object { writer in
            writer.member("iss", enrollmentID)
            writer.member("sub", userID)
            writer.member("aud", audience)
            writer.member("iat", issuedAt.seconds)
            writer.member("exp", expires.seconds)
        }
    }
}
