package import Audit
package import AuthorizationCore
import Localization
import Primitives

/// Store port for counting people's recovery codes.
package protocol RecoveryCodeReader: Sendable {
    /// Number of unused codes.
    func recoveryCodes(of user: UserID, tenant: TenantID) async throws -> Int
}

package protocol RecoveryCodeStore: RecoveryCodeReader, AttemptStore, AuditLog, MailStore {
    /// Uses a code up, with the entry and the mail that `notice` makes of the number of codes left. Nil, with nothing
    /// stored, if the user has no such code.
    func useRecoveryCode(
        _ hash: [UInt8], of user: UserID, tenant: TenantID, event: AuditEvent,
        notice: @escaping @Sendable (_ left: Int) throws -> SealedMail?
    ) async throws -> Int?
}

/// Takes a recovery code as second factor, in the place of a phone that was lost.
package struct RecoveryCodeFactor: Sendable {
    let store: any RecoveryCodeStore
    let transactions: LoginTransactions
    let hashing: any Hashing
    let mail: MailComposer
    /// Factor whose request waits on the phone meanwhile.
    let push: PushFactor

    /// Accepts each code once, and then pauses the login: the person first removes the lost phone. The answer's
    /// transaction goes on at the next request for its page. Throws `InteractionFailure` for a wrong code.
    package func logIn(_ transaction: LoginTransaction, code typed: String) async throws -> AuthorizationAnswer {
        guard case .multiFactor(let factors) = transaction.step, factors.recoveryCode, let user = transaction.user
        else { throw InteractionFailure.otherStep }
        let tenant = transaction.tenant
        let counter = AttemptCounter(store: store, hashing: hashing, context: transaction.context)
        try await counter.check(.recoveryCode, account: user.id.rawValue)
        if let code = RecoveryCode(typed: typed) {
            var transaction = transaction
            try transactions.charge(user.id, &transaction)
            let (context, address) = (transaction.context, counter.address)
            let used = try await store.useRecoveryCode(
                code.hash(hashing), of: user.id, tenant: tenant.id,
                event: transaction.event(
                    .recoveryCodeUsed, charge: .once(.recoveryCode), details: ["factor": "recovery-code"])
            ) { [mail] left in
                try user.noticeAddress.map { email in
                    try mail.sealed(
                        mail.accountChanged(
                            { $0.recoveryCodeUsed(left) }, to: email, user, address: address, tenant: tenant),
                        tenant: tenant, now: context.now)
                }
            }
            if used != nil {
                try await counter.forgive(.recoveryCode, account: user.id.rawValue)
                try await push.end(transaction)
                return try await transactions.pause(transaction, by: Authentication.oneTimePassword)
            }
        }
        let block = try await counter.count(
            .recoveryCode, account: user.id.rawValue,
            event: transaction.event(
                .recoveryCodeRefused, charge: .limited(by: .bruteForce), details: ["factor": "recovery-code"]))
        if let block {
            try await store.record(
                transaction.event(
                    block.event, charge: .limited(by: .bruteForce),
                    details: ["limit": .string(block.rawValue), "factor": "recovery-code"]))
            if block != .addressInAll, let email = user.email {
                let message = mail.blocked(
                    \.codeBlocked, to: email, user, address: counter.address, forAll: block == .account,
                    client: transaction.clientID, tenant: tenant)
                try await store.enqueue(try mail.sealed(message, tenant: tenant, now: transaction.context.now))
            }
        }
        throw InteractionFailure(.wrongCode, localized.account.recovery.wrong)
    }
}
