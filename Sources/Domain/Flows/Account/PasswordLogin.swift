import Audit
import AuthorizationCore
import OAuthWire
package import Primitives

/// Proves users: by password, or by what an upstream provider said of them.
package struct PasswordLogin: Sendable {
    private let transactions: LoginTransactions
    private let passwords: any PasswordHasher
    private let unknownUserHash: String
    private let mail: MailComposer

    /// `unknownUserHash` is a hash of something random, made by `passwords`: what is typed for an address that has no
    /// account is compared with it, so that the answer takes the same time.
    package init(
        transactions: LoginTransactions, passwords: any PasswordHasher, unknownUserHash: String,
        mail: MailComposer
    ) {
        self.transactions = transactions
        self.passwords = passwords
        self.unknownUserHash = unknownUserHash
        self.mail = mail
    }

    /// The transaction for somebody who proves themselves here and now. Where another tab of the browser logged in after
    /// the page was shown, its session would do; but who typed a password, or comes back from a provider, means to be
    /// that account. Where somebody proved themselves in the transaction before, it stays at its step.
    package func reauthenticating(_ transaction: LoginTransaction, now: Timestamp) async throws -> LoginTransaction {
        guard transaction.progress.authentication == nil, !transaction.isAtLogin else { return transaction }
        var transaction = transaction
        transaction.progress.session = nil
        transaction.progress.belongings = nil
        transaction.progress.account = .other
        try await transactions.refreshAndDecideNextStep(&transaction, now: now)
        return transaction
    }

    /// Throws `InteractionFailure` for what the person did, `AuthorizationPageFailure` where the login cannot go on.
    package func logIn(
        _ transaction: LoginTransaction, email typed: String, password: String, now: Timestamp
    ) async throws -> AuthorizationAnswer {
        guard transaction.isAtLogin, let connection = transaction.choices.database else {
            throw InteractionFailure.otherStep
        }
        guard let email = EmailAddress(parsing: typed) else { throw InteractionFailure.email }
        let address = transaction.browser.remoteAddress
        let counter = AttemptCounter(
            store: transactions.store, hashing: transactions.hashing, tenant: transaction.tenant, now: now)
        try await counter.check(.password, account: email.description, address: address)
        let account = try await transactions.store.account(email: email.description, tenant: transaction.tenant.id)
        guard let account, try await fits(password, account) else {
            if account == nil { _ = try await fits(password, nil) }
            try await refuse(transaction, email, account?.user, counter)
            throw InteractionFailure.wrongCredentials
        }
        // Again, so that many guesses at once are no better than one after the other.
        try await counter.check(.password, account: email.description, address: address)
        guard !account.user.blocked else {
            try await transactions.store.record(
                transactions.event(
                    .loginFailed, transaction, user: account.user.id, now: now, details: ["reason": "user is blocked"]))
            throw InteractionFailure.userBlocked
        }
        try await counter.forgive(.password, account: email.description, address: address)
        try await renewHash(of: account, password, tenant: transaction.tenant)
        return try await proceed(
            transaction,
            as: Authentication(
                user: account.user.id, at: now, methods: [Authentication.password], connection: connection.name,
                accessEndings: account.accessEndings),
            now: now)
    }

    /// Keeps what a connector needs when the browser comes back from another provider, in place of what it kept before.
    package func keepUpstreamAttempt(
        _ attempt: JSONValue, in transaction: LoginTransaction
    ) async throws -> LoginTransaction {
        guard transaction.isAtLogin else { throw InteractionFailure.otherStep }
        var transaction = transaction
        transaction.progress.upstreamAttempt = attempt
        try await transactions.keep(&transaction)
        return transaction
    }

    /// Takes it out: of two callbacks at once, one gets it. Throws `InteractionFailure` where there is none.
    package func takeUpstreamAttempt(
        from transaction: LoginTransaction
    ) async throws -> (attempt: JSONValue, transaction: LoginTransaction) {
        guard transaction.isAtLogin, let attempt = transaction.progress.upstreamAttempt else {
            throw InteractionFailure.otherStep
        }
        var transaction = transaction
        transaction.progress.upstreamAttempt = nil
        try await transactions.keep(&transaction)
        return (attempt, transaction)
    }

    /// Goes on as a user whom an upstream provider proved, at `time` where it says when. Whoever calls it checked that
    /// the provider's answer belongs to this transaction and browser, and that `time` is as recent as the client asks.
    package func logIn(
        _ transaction: LoginTransaction, upstream account: Account, connection: String, at time: Timestamp?,
        now: Timestamp
    ) async throws -> AuthorizationAnswer {
        let user = account.user
        guard transaction.isAtLogin, transaction.choices.upstreams.contains(where: { $0.name == connection }) else {
            throw InteractionFailure.otherStep
        }
        guard !user.blocked else {
            try await transactions.store.record(
                transactions.event(
                    .loginFailed, transaction, user: user.id, now: now, details: ["reason": "user is blocked"]))
            throw InteractionFailure.userBlocked
        }
        return try await proceed(
            transaction,
            as: Authentication(
                user: user.id, at: time ?? now, isTimeKnown: time != nil, methods: [Authentication.federated],
                connection: connection, accessEndings: account.accessEndings),
            now: now)
    }

    /// The answer of `select_account`, and "not you?" on later pages: as the session's user, or as another.
    package func selectAccount(
        _ transaction: LoginTransaction, other: Bool, now: Timestamp
    ) async throws -> AuthorizationAnswer {
        var transaction = transaction
        if other {
            transaction.progress = transaction.progress.beginning
            transaction.progress.account = .other
        } else {
            guard transaction.step == .selectAccount, let user = transaction.user else {
                throw InteractionFailure.otherStep
            }
            transaction.progress.account = .current(user.id)
        }
        return try await transactions.proceed(transaction, now: now)
    }

    func proceed(
        _ transaction: LoginTransaction, as authentication: Authentication, now: Timestamp
    ) async throws -> AuthorizationAnswer {
        var transaction = transaction
        transaction.progress = transaction.progress.beginning
        transaction.prove(authentication)
        return try await transactions.proceed(transaction, now: now)
    }

    /// Gives a hash that was made at other costs those of today. Where there is no room to compute one, the next login
    /// does.
    private func renewHash(of account: Account, _ password: String, tenant: Tenant) async throws {
        guard let old = account.passwordHash, passwords.needsRehash(old) else { return }
        let new: String
        do {
            new = try await passwords.hash(SecretBytes(utf8: password))
        } catch let error as any TransientError where error.isTransient {
            return
        }
        _ = try await transactions.store.replacePasswordHash(
            of: account.user.id, old, by: new, tenant: tenant.id)
    }

    /// A user without a password, and nobody, cost the same as a wrong password.
    private func fits(_ password: String, _ account: Account?) async throws -> Bool {
        let isTooLong = password.unicodeScalars.count > PasswordPolicy.maximumLength
        let hash = isTooLong ? nil : account?.passwordHash
        let fits = try await passwords.verify(
            SecretBytes(utf8: isTooLong ? "" : password), against: hash ?? unknownUserHash)
        return fits && hash != nil
    }

    private func refuse(
        _ transaction: LoginTransaction, _ email: EmailAddress, _ user: User?, _ counter: AttemptCounter
    ) async throws {
        let address = transaction.browser.remoteAddress
        func event(_ kind: AuditEvent.Kind, _ details: JSONObject = [:]) -> AuditEvent? {
            var details = details
            details["email"] = .string(email.description)
            guard let user else {
                return transactions.anonymousEvent(kind, transaction, now: counter.now, details: details)
            }
            return transactions.event(kind, transaction, user: user.id, now: counter.now, details: details)
        }
        let block = try await counter.count(
            .password, account: email.description, address: address,
            event: event(user == nil ? .unknownUser : .wrongPassword))
        guard let block else { return }
        if let blocked = event(block.event, ["limit": .string(block.rawValue)]) {
            try await transactions.store.record(blocked)
        }
        if let user, block != .addressInAll {
            let letter = mail.accountBlocked(
                to: email, user, address: address, forAll: block == .account, tenant: transaction.tenant)
            try await transactions.store.enqueue(try mail.sealed(letter, tenant: transaction.tenant, now: counter.now))
        }
    }
}

extension LoginTransaction {
    /// Whether somebody may prove themselves now.
    var isAtLogin: Bool {
        switch step {
        case .logIn, .signUp, .upstream: true
        case .selectAccount, .enrollDevice, .multiFactor, .consent, .done: false
        }
    }
}
