package import Primitives

/// Subject that failed attempts are counted against: an account, an account from one address, or an address. Unknown
/// accounts are counted the same.
package struct AttemptKey: Sendable, Hashable {
    /// Secret that is guessed, or service that is overused. Each has its own counts, because a right password must not
    /// forgive guesses of a code.
    package enum Secret: String, Sendable {
        case password
        case oneTimePassword = "otp"
        case passkey
        case recoveryCode = "recovery-code"
        case signUp = "sign-up"
        case passwordReset = "reset"
        case emailVerification = "verification"
        /// A request on the phone for a login.
        case push
        /// Number that a person picks on the phone for a login.
        case loginNumber = "number"
        /// A login that its person reported on the phone as not asked for.
        case reportedLogin = "report"
        /// Short code that stands for an enrolment ticket.
        case enrollmentCode = "enrolment"
    }

    package struct Origin: Sendable, Hashable {
        /// The peer's full address, not the network that it is counted under.
        package let address: String
        /// `hash` of the same account without an origin.
        package let account: [UInt8]
    }

    /// SHA-256.
    package let hash: [UInt8]
    /// Nil counts the account from all addresses, or the address for all accounts.
    package let origin: Origin?

    /// `account` is an e-mail address in lower case, or a user's id.
    package init(_ secret: Secret, account: String, hashing: any Hashing) {
        hash = hashing.sha256(Array("\(secret.rawValue)/account/\(account)".utf8))
        origin = nil
    }

    /// `address` is counted by its `CountedAddress`.
    package init(_ secret: Secret, account: String, from address: String, hashing: any Hashing) {
        hash = hashing.sha256(Array("\(secret.rawValue)/address/\(account)/\(CountedAddress(address))".utf8))
        origin = Origin(address: address, account: AttemptKey(secret, account: account, hashing: hashing).hash)
    }

    /// Counts an address for all accounts, by its `CountedAddress`.
    package init(_ secret: Secret, from address: String, hashing: any Hashing) {
        hash = hashing.sha256(Array("\(secret.rawValue)/from/\(CountedAddress(address))".utf8))
        origin = nil
    }
}

package struct AttemptLimit: Sendable, Hashable {
    package let key: AttemptKey
    package let limit: Int

    package init(_ key: AttemptKey, _ limit: Int) {
        self.key = key
        self.limit = limit
    }
}

extension BruteForceProtection {
    /// Failed attempts at an account from one address, after which the secret is blocked there. A blind pick of a number
    /// is right once in three, so few are allowed. One report is enough, because the person has answered.
    package func attempts(at secret: AttemptKey.Secret) -> Int {
        switch secret {
        case .loginNumber: min(wrongNumbersPerAddress, attemptsPerAddress)
        case .reportedLogin: 1
        case .password, .oneTimePassword, .passkey, .recoveryCode, .signUp, .passwordReset, .emailVerification, .push,
            .enrollmentCode:
            attemptsPerAddress
        }
    }
}
