package import Primitives

/// An authenticator app's entry for a user: `totp_` and 16 characters.
package typealias AuthenticatorID = ID<Authenticator>

/// An entry of an authenticator app, which makes one-time passwords (RFC 6238). It came from another server, or was given by
/// an administrator, and is no phone: it approves nothing.
package struct Authenticator: Sendable, Equatable {
    /// Most entries of a user.
    package static let limit = 5
    /// Unicode scalars of a name.
    package static let nameRange = 1...128

    package let id: AuthenticatorID
    package let user: UserID
    /// Nil if it has none.
    package let name: String?
    package let createdAt: Timestamp
    /// True if an administrator gave it to this user. Others go when a link proves an address that was not verified.
    package let isOfAdministrator: Bool

    package init(id: AuthenticatorID, user: UserID, name: String?, createdAt: Timestamp, isOfAdministrator: Bool) {
        self.id = id
        self.user = user
        self.name = name
        self.createdAt = createdAt
        self.isOfAdministrator = isOfAdministrator
    }

    package static func isName(_ text: String) -> Bool {
        nameRange.contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// Binds the secret to its person: moved to another one's row, it opens no more. Ids may hold any separator, so this
    /// is a JSON array.
    package static func sealingContext(tenant: TenantID, user: UserID, id: AuthenticatorID) -> String {
        JSONWriter.string(JSONValue(["authenticator", tenant.rawValue, user.rawValue, id.rawValue]))
    }
}

extension Identifiers {
    package static let authenticatorPrefix = "totp_"

    /// 96 random bits in 16 characters.
    package static func authenticator(_ random: some RandomSource) -> AuthenticatorID {
        AuthenticatorID(authenticatorPrefix + Base64URL.encode(random.bytes(12)))
    }
}

/// The secret of codes that change with the time, and their shape.
package struct TimedPassword: Sendable {
    /// How far a phone's clock may be off, within one step before and behind (RFC 6238 clause 5.2). Codes of long steps would
    /// be valid for hours otherwise.
    private static let tolerance = Duration.seconds(30)
    /// Bytes of a secret from elsewhere. RFC 4226 clause 4 asks for 16, and applications made secrets of 10.
    package static let secretRange = 10...128
    /// Seconds of a step. Applications have 30 or 60. Each step counts once, so people wait for the next one at most this long.
    package static let periodRange = 15...120

    /// Reasons for which a secret from elsewhere is not taken, as the rest of a sentence.
    package struct Problem: Error, Sendable, Equatable {
        package let message: String
    }

    private let password: OneTimePassword
    private let period: Int

    /// A secret of this server's own: six digits of SHA-1 every 30 seconds. Nil for an empty one.
    package init?(own secret: SecretBytes) {
        guard let password = OneTimePassword(secret: secret) else { return nil }
        self.password = password
        period = 30
    }

    package init(
        secret: SecretBytes, algorithm: HashAlgorithm = .sha1, digits: Int = 6, period: Int = 30
    ) throws(Problem) {
        guard Self.secretRange.contains(secret.count) else {
            throw Problem(
                message: "must have \(Self.secretRange.lowerBound) to \(Self.secretRange.upperBound) bytes")
        }
        guard Self.tags[algorithm] != nil else { throw Problem(message: "must be of SHA-1, SHA-256 or SHA-512") }
        guard Self.periodRange.contains(period) else {
            throw Problem(
                message:
                    "must have a period of \(Self.periodRange.lowerBound) to \(Self.periodRange.upperBound) seconds")
        }
        guard let password = OneTimePassword(secret: secret, algorithm: algorithm, digits: digits) else {
            throw Problem(message: "must make codes of 6 to 8 digits")
        }
        self.password = password
        self.period = period
    }

    /// Base32 (RFC 4648 clause 6), as applications show it.
    package init(
        base32: String, algorithm: HashAlgorithm = .sha1, digits: Int = 6, period: Int = 30
    ) throws(Problem) {
        guard base32.utf8.count <= 2 * Self.secretRange.upperBound, let secret = Base32.decode(base32) else {
            throw Problem(message: "must be in Base32")
        }
        try self.init(secret: SecretBytes(secret), algorithm: algorithm, digits: digits, period: period)
    }

    /// The step of `code` near `now`. Nil if no step near it has that code.
    package func step(of code: String, at now: Timestamp, hashing: some Hashing) -> Int64? {
        func counter(at time: Timestamp) -> UInt64 { OneTimePassword.counter(at: time, period: period) }
        var found: Int64?
        let current = counter(at: now)
        let first = max(counter(at: now - Self.tolerance), current - min(current, 1))
        for step in first...min(counter(at: now + Self.tolerance), current + 1) {
            let expected = password.code(counter: step, hashing: hashing)
            if constantTimeEquals(Array(expected.utf8), Array(code.utf8)) { found = Int64(step) }
        }
        return found
    }

    // MARK: stored form, sealed

    private static let tags: [HashAlgorithm: UInt8] = [.sha1: 1, .sha256: 2, .sha512: 3]

    /// Algorithm, digits and two bytes of the period before the secret.
    package var stored: [UInt8] {
        [
            Self.tags[password.algorithm] ?? 0, UInt8(password.digits), UInt8(period >> 8), UInt8(period & 0xFF),
        ] + password.secret.bytes
    }

    /// Nil for bytes of another form.
    package init?(stored: SecretBytes) {
        let bytes = stored.bytes
        guard bytes.count > 4, let algorithm = Self.tags.first(where: { $0.value == bytes[0] })?.key else {
            return nil
        }
        do throws(Problem) {
            try self.init(
                secret: SecretBytes(Array(bytes[4...])), algorithm: algorithm, digits: Int(bytes[1]),
                period: Int(bytes[2]) << 8 | Int(bytes[3]))
        } catch { return nil }
    }
}

/// A new authenticator, with its secret.
package struct NewAuthenticator: Sendable, Equatable {
    package let authenticator: Authenticator
    package let sealedSecret: [UInt8]

    package init(
        _ foreign: ForeignAuthenticator, of user: UserID, tenant: TenantID, at now: Timestamp,
        isOfAdministrator: Bool = false, _ sealer: any Sealer, _ random: any RandomSource
    ) throws {
        authenticator = Authenticator(
            id: Identifiers.authenticator(random), user: user, name: foreign.name, createdAt: now,
            isOfAdministrator: isOfAdministrator)
        sealedSecret = try sealer.seal(
            foreign.password.stored,
            context: Authenticator.sealingContext(tenant: tenant, user: user, id: authenticator.id))
    }
}
