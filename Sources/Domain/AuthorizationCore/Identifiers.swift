package import Primitives

/// Chosen by the operator, such as `dev`.
package typealias TenantID = ID<Tenant>
/// `client_id`: 32 letters and digits if generated.
package typealias ClientID = ID<Client>
/// `sub`: `provider|id`. If generated, `auth0|` and 24 hexadecimal digits.
package typealias UserID = ID<User>
/// An enrolled device: `dev_` and 16 characters.
package typealias DeviceID = ID<Device>
/// Links a notification to its request (`txlnkid`): `cns_` and 22 characters.
package typealias ConsentID = ID<BackchannelRequest>
/// `kid`.
package typealias SigningKeyID = ID<SigningKey>

/// `sid`.
package typealias SessionID = ID<Session>
/// Links everything that one authorization issued.
package typealias AuthorizationID = ID<GrantedAccess>
/// A client's key or certificate: `cred_` and 22 characters.
package typealias ClientCredentialID = ID<ClientCredential>

/// Makes identifiers from random bytes.
package enum Identifiers {
    /// 96 random bits in 16 characters.
    package static func device(_ random: some RandomSource) -> DeviceID {
        DeviceID("dev_" + Base64URL.encode(random.bytes(12)))
    }

    package static func user(_ random: some RandomSource) -> UserID { UserID("auth0|" + Hex.encode(random.bytes(12))) }

    /// 160 random bits in 32 characters a–z and 2–7.
    package static func client(_ random: some RandomSource) -> ClientID {
        ClientID(Base32.encode(random.bytes(20)).lowercased())
    }

    /// Random bytes, without their first bit, in base64url. Begins with a letter, because commands would take a leading
    /// `-` for an option.
    package static func text(_ count: Int, _ random: some RandomSource) -> String {
        var bytes = random.bytes(count)
        bytes[0] &= 0x7F
        return Base64URL.encode(bytes)
    }

    /// 127 random bits.
    package static func signingKey(_ random: some RandomSource) -> SigningKeyID { SigningKeyID(text(16, random)) }

    /// 336 random bits (CIBA Core 7.3 asks for at least 128) in 64 characters, of which the first eight encode the
    /// time. Requests that start together are neighbours in the store, so one commit changes one page for many.
    package static func authReqID(_ random: some RandomSource, at now: Timestamp) -> String {
        authReqID(secret: random.bytes(authReqIDSecret)[...], at: now)
    }

    /// Bytes of an `auth_req_id` after the time.
    package static let authReqIDSecret = 42

    package static func authReqID(secret: ArraySlice<UInt8>, at now: Timestamp) -> String {
        let moment = stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: now.milliseconds >> $0) }
        return Base64URL.encode(moment + secret)
    }

    /// True for a text of that form. It need not be one that was issued.
    package static func isAuthReqID(_ text: String) -> Bool {
        text.utf8.count == 64 && Base64URL.decode(text)?.count == 6 + authReqIDSecret
    }

    package static func clientCredential(_ random: some RandomSource) -> ClientCredentialID {
        ClientCredentialID("cred_" + Base64URL.encode(random.bytes(16)))
    }

    package static func session(_ random: some RandomSource) -> SessionID {
        SessionID(text(16, random))
    }

    package static func authorization(_ random: some RandomSource) -> AuthorizationID {
        AuthorizationID(text(16, random))
    }

    /// A code, a cookie, a login transaction or a pushed request: 255 random bits in 43 characters.
    package static func handle(_ random: some RandomSource) -> String { text(32, random) }

    /// An enrolment ticket or a device's bearer token: 191 random bits in 32 characters.
    package static func ticket(_ random: some RandomSource) -> String { text(24, random) }

    /// A client's secret: 383 random bits in 64 characters.
    package static func clientSecret(_ random: some RandomSource) -> SecretBytes {
        SecretBytes(utf8: text(48, random))
    }
}
