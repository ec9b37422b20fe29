package import Audit
package import AuthorizationCore
import Localization
import Primitives

/// Store port for reading the secrets of one-time passwords.
package protocol OneTimePasswordReader: Sendable {
    /// Secrets of the user's devices.
    func oneTimePasswords(of user: UserID, tenant: TenantID) async throws -> [DeviceOneTimePassword]
}

package protocol OneTimePasswordStore: OneTimePasswordReader, AttemptStore, AuditLog, MailStore {
    /// Notes that a code of that time step was used. False, with nothing stored, if it or a later one was used before
    /// (RFC 6238 clause 5.2).
    func useOneTimePassword(_ device: DeviceID, step: Int64, tenant: TenantID) async throws -> Bool
}

/// The secret of a device's one-time passwords, sealed with `sealingContext(tenant:device:)`.
package struct DeviceOneTimePassword: Sendable, Equatable {
    package let device: DeviceID
    package let sealedSecret: [UInt8]

    package init(device: DeviceID, sealedSecret: [UInt8]) {
        self.device = device
        self.sealedSecret = sealedSecret
    }

    package static func sealingContext(tenant: TenantID, device: DeviceID) -> String { "totp/\(tenant)/\(device)" }
}

/// Takes a code of an authenticator as second factor (RFC 6238).
package struct OneTimePasswordFactor: Sendable {
    /// Seconds of one time step.
    static let period = 30
    /// Steps that a phone's clock may be off (RFC 6238 clause 5.2).
    static let window = 1

    let store: any OneTimePasswordStore
    let transactions: LoginTransactions
    let hashing: any Hashing
    let sealer: any Sealer
    let mail: MailComposer
    /// Factor whose request waits on the phone meanwhile.
    let push: PushFactor

    /// Accepts each code once. Throws `InteractionFailure` for a wrong one.
    package func logIn(_ transaction: LoginTransaction, code typed: String) async throws -> AuthorizationAnswer {
        guard case .multiFactor(let factors) = transaction.step, factors.oneTimePassword, let user = transaction.user
        else { throw InteractionFailure.otherStep }
        let (tenant, now) = (transaction.tenant, transaction.context.now)
        let counter = AttemptCounter(store: store, hashing: hashing, context: transaction.context)
        try await counter.check(.oneTimePassword, account: user.id.rawValue)
        let code = typed.filter { $0 != " " }
        for kept in try await store.oneTimePasswords(of: user.id, tenant: tenant.id) {
            guard let step = try step(of: code, kept, tenant: tenant, now: now) else { continue }
            // Again, so that many guesses at once are no better than one after the other.
            try await counter.check(.oneTimePassword, account: user.id.rawValue)
            var transaction = transaction
            try transactions.charge(user.id, &transaction)
            guard try await store.useOneTimePassword(kept.device, step: step, tenant: tenant.id) else { continue }
            try await counter.forgive(.oneTimePassword, account: user.id.rawValue)
            try await store.record(
                transaction.event(
                    .multiFactorSucceeded, charge: .once(.oneTimePassword), device: kept.device,
                    details: ["factor": "otp"]))
            try await push.end(transaction)
            return try await transactions.pass(transaction, by: Authentication.oneTimePassword)
        }
        let block = try await counter.count(
            .oneTimePassword, account: user.id.rawValue,
            event: transaction.event(
                .multiFactorFailed, charge: .limited(by: .bruteForce), details: ["factor": "otp"]))
        if let block {
            try await store.record(
                transaction.event(
                    block.event, charge: .limited(by: .bruteForce),
                    details: ["limit": .string(block.rawValue), "factor": "otp"]))
            if block != .addressInAll, let email = user.email {
                let message = mail.blocked(
                    \.codeBlocked, to: email, user, address: counter.address, forAll: block == .account,
                    client: transaction.clientID, tenant: tenant)
                try await store.enqueue(try mail.sealed(message, tenant: tenant, now: now))
            }
        }
        throw InteractionFailure(.wrongCode, localized.secondFactor.wrongCode)
    }

    /// The time step of a code. Nil if no step near now has that code.
    private func step(of code: String, _ kept: DeviceOneTimePassword, tenant: Tenant, now: Timestamp) throws -> Int64? {
        let secret = try sealer.open(
            kept.sealedSecret, context: DeviceOneTimePassword.sealingContext(tenant: tenant.id, device: kept.device))
        guard let password = OneTimePassword(secret: secret) else { return nil }
        let current = Int64(OneTimePassword.counter(at: now, period: Self.period))
        var found: Int64?
        for step in current - Int64(Self.window)...current + Int64(Self.window) where step >= 0 {
            let expected = password.code(counter: UInt64(step), hashing: hashing)
            if constantTimeEquals(Array(expected.utf8), Array(code.utf8)) { found = step }
        }
        return found
    }
}
