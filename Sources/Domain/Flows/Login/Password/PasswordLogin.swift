package import Audit
package import AuthorizationCore
import Localization
import Primitives

package protocol PasswordStore: AccountReader, AttemptStore, AuditLog, MailStore {
    /// Replaces a stored hash by another of the same password. False if the stored hash is not `old` any more.
    func replacePasswordHash(of user: UserID, _ old: String, by new: String, tenant: TenantID) async throws -> Bool
}

/// Logs users in by password.
package struct PasswordLogin: Sendable {
    let store: any PasswordStore
    let transactions: LoginTransactions
    let hashing: any Hashing
    let passwords: any PasswordHasher
    /// Hash of a random text, made by `passwords`. The password for an address without an account is compared with it, so
    /// that the answer takes the same time.
    let unknownUserHash: String
    let mail: MailComposer
    let refusals: RefusalLog

    /// Throws `InteractionFailure` for the person's faults, `AuthorizationPageFailure` if the login cannot go on.
    package func logIn(
        _ transaction: LoginTransaction, email typed: String, password text: String
    ) async throws -> AuthorizationAnswer {
        guard transaction.step.provesUser, let connection = transaction.choices.database else {
            throw InteractionFailure.otherStep
        }
        guard let email = EmailAddress(parsing: typed) else { throw InteractionFailure.email }
        let password = Password(text)
        let tenant = transaction.tenant.id
        let counter = AttemptCounter(store: store, hashing: hashing, context: transaction.context)
        try await counter.check(.password, account: email.description)
        let account = try await store.account(email: email, tenant: tenant)
        let match = try await match(password, account)
        guard let account, match != .none else {
            try await refuse(transaction, email, account?.user, counter)
            throw InteractionFailure.wrongCredentials
        }
        // Again, so that many guesses at once are no better than one after the other.
        try await counter.check(.password, account: email.description)
        guard !account.user.blocked else {
            try await refusals.record(
                transaction.refusal(.loginFailed, user: account.user.id, details: ["reason": "user is blocked"]),
                of: account.user.id.rawValue)
            throw InteractionFailure.userBlocked
        }
        try await counter.forgive(.password, account: email.description)
        try await renewHash(of: account, password, match, tenant: tenant)
        return try await transactions.proceed(
            transaction,
            as: Authentication(
                user: account.user.id, at: transaction.context.now, methods: [Authentication.password],
                connection: connection.name, accessEndings: account.accessEndings))
    }

    /// Computes a hash again that was made at other costs than today's, or of the password as typed. If there is no room
    /// to compute one, the next login does.
    private func renewHash(
        of account: Account, _ password: Password, _ match: Password.Match, tenant: TenantID
    ) async throws {
        guard let old = account.passwordHash, match == .typed || passwords.needsRehash(old) else { return }
        let new: String
        do {
            new = try await passwords.hash(password)
        } catch let error as any TransientError where error.isTransient {
            return
        }
        _ = try await store.replacePasswordHash(of: account.user.id, old, by: new, tenant: tenant)
    }

    /// An account without a password, and no account at all, cost the same as a wrong password.
    private func match(_ password: Password, _ account: Account?) async throws -> Password.Match {
        let isTooLong = password.length > PasswordPolicy.maximumLength
        let hash = isTooLong ? nil : account?.passwordHash
        let match = try await passwords.verify(isTooLong ? Password("") : password, against: hash ?? unknownUserHash)
        return hash == nil ? .none : match
    }

    private func refuse(
        _ transaction: LoginTransaction, _ email: EmailAddress, _ user: User?, _ counter: AttemptCounter
    ) async throws {
        func event(_ kind: AuditEvent.Kind, _ details: JSONObject = [:]) -> AuditEvent? {
            var details = details
            details["email"] = .string(email.description)
            guard let user else { return refusals.anonymous(transaction.refusal(kind, details: details)) }
            return transaction.event(kind, charge: .limited(by: .bruteForce), user: user.id, details: details)
        }
        let block = try await counter.count(
            .password, account: email.description, event: event(user == nil ? .unknownUser : .wrongPassword))
        guard let block else { return }
        if let blocked = event(block.event, ["limit": .string(block.rawValue)]) { try await store.record(blocked) }
        if let user, block != .addressInAll {
            let tenant = transaction.tenant
            let message = mail.blocked(
                \.passwordBlocked, to: email, user, address: counter.address, forAll: block == .account,
                client: transaction.clientID, tenant: tenant)
            try await store.enqueue(try mail.sealed(message, tenant: tenant, now: transaction.context.now))
        }
    }
}
