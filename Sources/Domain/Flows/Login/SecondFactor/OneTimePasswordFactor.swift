package import Audit
package import AuthorizationCore
import Localization
import Primitives

/// Store port for reading the secrets of one-time passwords.
package protocol OneTimePasswordReader: Sendable {
    /// Secrets of the user's phones, then of their authenticator apps.
    func oneTimePasswords(of user: UserID, tenant: TenantID) async throws -> [KeptOneTimePassword]
}

package protocol OneTimePasswordStore: OneTimePasswordReader, AttemptStore, AuditLog, MailStore {
    /// Notes that a code of that time step was used. False, with nothing stored, if it or a later one was used before
    /// (RFC 6238 clause 5.2).
    func useOneTimePassword(_ holder: KeptOneTimePassword.Holder, step: Int64, tenant: TenantID) async throws -> Bool
}

/// A sealed secret of one-time passwords.
package struct KeptOneTimePassword: Sendable, Equatable {
    /// Makes the codes.
    package enum Holder: Sendable, Hashable {
        case device(DeviceID)
        case authenticator(AuthenticatorID)

        package var device: DeviceID? { if case .device(let id) = self { id } else { nil } }
    }

    package let holder: Holder
    package let sealedSecret: [UInt8]

    package init(_ holder: Holder, sealedSecret: [UInt8]) {
        self.holder = holder
        self.sealedSecret = sealedSecret
    }

    /// Context of a phone's secret.
    package static func sealingContext(tenant: TenantID, device: DeviceID) -> String { "totp/\(tenant)/\(device)" }

    func password(of user: UserID, tenant: TenantID, _ sealer: any Sealer) throws -> TimedPassword? {
        switch holder {
        case .device(let id):
            TimedPassword(own: try sealer.open(sealedSecret, context: Self.sealingContext(tenant: tenant, device: id)))
        case .authenticator(let id):
            TimedPassword(
                stored: try sealer.open(
                    sealedSecret, context: Authenticator.sealingContext(tenant: tenant, user: user, id: id)))
        }
    }
}

/// Takes a code of an authenticator as second factor (RFC 6238).
package struct OneTimePasswordFactor: Sendable {
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
        var matches: [(holder: KeptOneTimePassword.Holder, step: Int64)] = []
        for kept in try await store.oneTimePasswords(of: user.id, tenant: tenant.id) {
            let password = try kept.password(of: user.id, tenant: tenant.id, sealer)
            if let step = password?.step(of: code, at: now, hashing: hashing) { matches.append((kept.holder, step)) }
        }
        if let first = matches.first {
            // Again, so that many guesses at once are no better than one after the other.
            try await counter.check(.oneTimePassword, account: user.id.rawValue)
            var transaction = transaction
            try transactions.charge(user.id, &transaction)
            // A code counts once, also for several apps with the same secret.
            var uses: [Bool] = []
            for (holder, step) in matches {
                uses.append(try await store.useOneTimePassword(holder, step: step, tenant: tenant.id))
            }
            if uses.first == true {
                try await counter.forgive(.oneTimePassword, account: user.id.rawValue)
                var details: JSONObject = ["factor": "otp"]
                if case .authenticator(let id) = first.holder { details["authenticator"] = .string(id.rawValue) }
                try await store.record(
                    transaction.event(
                        .multiFactorSucceeded, charge: .once(.oneTimePassword), device: first.holder.device,
                        details: details))
                try await push.end(transaction)
                return try await transactions.pass(transaction, by: Authentication.oneTimePassword)
            }
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
}
