package import Audit
package import AuthorizationCore
import Localization
import Primitives

package protocol PasswordStore: AttemptStore, AuditLog, MailStore, MovingStore {
    /// Replaces a stored hash by another of the same password. False if the stored hash is not `old` any more.
    func replacePasswordHash(of user: UserID, _ old: String, by new: String, tenant: TenantID) async throws -> Bool
}

/// Logs users in by password.
package struct PasswordLogin: Sendable {
    let store: any PasswordStore
    let transactions: LoginTransactions
    let hashing: any Hashing
    let passwords: any PasswordHasher
    /// Hash of a random text, made by `passwords`. The password for a name without an account is compared with it, so
    /// that the answer takes the same time.
    let unknownUserHash: String
    let moving: MovePeople
    let mail: MailComposer
    let refusals: RefusalLog

    /// Throws `InteractionFailure` for the person's faults, `AuthorizationPageFailure` if the login cannot go on.
    package func logIn(
        _ transaction: LoginTransaction, name typed: String, password text: String
    ) async throws -> AuthorizationAnswer {
        guard transaction.step.provesUser, let connection = transaction.choices.database else {
            throw InteractionFailure.otherStep
        }
        guard let name = LoginName(parsing: typed) else { throw InteractionFailure.name(at: connection) }
        let password = Password(text)
        let tenant = transaction.tenant.id
        let counter = AttemptCounter(store: store, hashing: hashing, context: transaction.context)
        let known = try await store.account(name, tenant: tenant)
        // An account has one count, by whichever name it is tried.
        let subject = known?.user.passwordSubject ?? name.description
        try await counter.check(.password, account: subject)
        let match = try await match(password, known)
        let account: Account
        if let known, match != .none {
            try await admit(known, transaction, counter)
            try await renewHash(of: known, password, match, tenant: tenant)
            account = known
        } else {
            account = try await move(transaction, name, text, known: known, connection, counter)
        }
        return try await transactions.proceed(
            transaction,
            as: Authentication(
                user: account.user.id, at: transaction.context.now, methods: [Authentication.password],
                connection: connection.name, accessEndings: account.accessEndings))
    }

    /// Admits a user whose password was right.
    private func admit(
        _ account: Account, _ transaction: LoginTransaction, _ counter: AttemptCounter
    ) async throws {
        let subject = account.user.passwordSubject
        // Again, so that many guesses at once are no better than one after the other.
        try await counter.check(.password, account: subject)
        guard !account.user.blocked else {
            try await refusals.record(
                transaction.refusal(.loginFailed, user: account.user.id, details: ["reason": "user is blocked"]),
                of: account.user.id.rawValue)
            throw InteractionFailure.userBlocked
        }
        try await counter.forgive(.password, account: subject)
    }

    /// Has the tenant's old server judge a password that fits no hash here, if it may speak for the address. Refuses
    /// everybody else. `known` is the account of the name, which has another password or none. The old server knows
    /// people by their addresses alone.
    private func move(
        _ transaction: LoginTransaction, _ name: LoginName, _ text: String, known: Account?,
        _ connection: LoginConnection, _ counter: AttemptCounter
    ) async throws -> Account {
        let (context, client, password) = (transaction.context, transaction.clientID, Password(text))
        // Directories take an empty password for a visit without a name.
        guard case .email(let email) = name, let server = connection.oldServer, known?.passwordHash == nil,
            moving.mayMove(known?.user, context), (1...PasswordPolicy.maximumLength).contains(password.length)
        else {
            let event = refusal(transaction, name, known?.user, known == nil ? .unknownUser : .wrongPassword)
            let subject = known?.user.passwordSubject ?? name.description
            let block = try await counter.count(.password, account: subject, event: event)
            try await report(block, transaction, name, known?.user, counter)
            throw InteractionFailure.credentials(at: connection)
        }
        // Counted before the call, so that many guesses at once are no better, and do not reach the old server.
        let block = try await counter.reserve(.password, account: email.description)
        let person: OldUser?
        var account: Account?
        do {
            person = try await moving.person(
                email, password: text, from: server, of: connection, client: client, context: context)
            if let person {
                account = try await moving.account(
                    of: person, password: password, known: known?.user, connection: connection, client: client,
                    context: context)
            }
        } catch {
            // An answer about this person counts, so that nobody repeats it without end.
            if (error as? InteractionFailure)?.reason != .unfitAnswer {
                try await counter.takeBack(.password, account: email.description)
            }
            throw error
        }
        if let account {
            try await counter.takeBack(.password, account: email.description)
            try await admit(account, transaction, counter)
            return account
        }
        if person == nil,
            let event = refusal(transaction, name, known?.user, known == nil ? .unknownUser : .wrongPassword)
        {
            try await store.record(event)
        }
        try await report(block, transaction, name, known?.user, counter)
        throw InteractionFailure.credentials(at: connection)
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

    /// Entry of a refused password. Nil if anonymous refusals left too many. It has no unknown username: people type
    /// passwords into that field by mistake.
    private func refusal(
        _ transaction: LoginTransaction, _ name: LoginName, _ user: User?, _ kind: AuditEvent.Kind,
        _ details: JSONObject = [:]
    ) -> AuditEvent? {
        var details = details
        switch name {
        case .email(let email): details["email"] = .string(email.description)
        case .username(let name): details["username"] = user.map { _ in .string(name) }
        }
        guard let user else { return refusals.anonymous(transaction.refusal(kind, details: details)) }
        return transaction.event(kind, charge: .limited(by: .bruteForce), user: user.id, details: details)
    }

    /// Reports a limit that a wrong password reached, to the log and to the account's owner.
    private func report(
        _ block: AttemptCounter.Block?, _ transaction: LoginTransaction, _ name: LoginName, _ user: User?,
        _ counter: AttemptCounter
    ) async throws {
        guard let block else { return }
        let blocked = refusal(transaction, name, user, block.event, ["limit": .string(block.rawValue)])
        if let blocked { try await store.record(blocked) }
        if let user, let email = user.email, block != .addressInAll {
            let tenant = transaction.tenant
            let message = mail.blocked(
                \.passwordBlocked, to: email, user, address: counter.address, forAll: block == .account,
                client: transaction.clientID, tenant: tenant)
            try await store.enqueue(try mail.sealed(message, tenant: tenant, now: transaction.context.now))
        }
    }
}
