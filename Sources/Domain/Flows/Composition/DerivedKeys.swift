import AuthorizationCore
package import Primitives

/// Keys from which tokens, challenges and forms are derived. Each has one purpose.
package struct DerivedKeys: Sendable {
    package let transactions: GuardianTransactionTokens
    package let refreshTokens: RefreshTokenSecrets
    let starts: RepeatableStarts
    package let forms: SecretBytes
    let passkeys: PasskeyChallenges
    let enrollmentCodes: SecretBytes
    let mails: MailIDs

    private static let (transaction, refreshToken, form) = ("transaction", "refresh token", "form")
    private static let (start, passkey, mail) = ("auth_req_id", "passkey", "mail")
    private static let enrollmentCode = "enrolment code"

    /// A label for each purpose.
    package static let labels = [transaction, refreshToken, start, form, passkey, mail, enrollmentCode]

    /// `derived` returns 32 bytes for each of `labels`, the same at every start.
    package init(hashing: any Hashing, derived: (_ label: String) throws -> SecretBytes) rethrows {
        transactions = GuardianTransactionTokens(key: try derived(Self.transaction), hashing: hashing)
        refreshTokens = RefreshTokenSecrets(key: try derived(Self.refreshToken), hashing: hashing)
        starts = RepeatableStarts(key: try derived(Self.start), hashing: hashing)
        forms = try derived(Self.form)
        passkeys = PasskeyChallenges(key: try derived(Self.passkey), hashing: hashing)
        enrollmentCodes = try derived(Self.enrollmentCode)
        mails = MailIDs(key: try derived(Self.mail), hashing: hashing)
    }
}
