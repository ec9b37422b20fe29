import Audit
import AuthorizationCore
package import OAuthWire
package import Primitives

/// Makes a user of the database from the sign-up form.
package struct SignUp: Sendable {
    private let logIn: PasswordLogin
    private let transactions: LoginTransactions
    /// Letters that one mailbox gets within the brute-force window.
    static let letterLimit = 5

    private let passwords: any PasswordHasher
    private let mail: MailComposer

    package init(
        logIn: PasswordLogin, transactions: LoginTransactions, passwords: any PasswordHasher, mail: MailComposer
    ) {
        self.logIn = logIn
        self.transactions = transactions
        self.passwords = passwords
        self.mail = mail
    }

    /// Throws `InteractionFailure` for what the person did, `AuthorizationPageFailure` where the login cannot go on.
    /// That an address is taken is told no plainer than the form has to, and few times. The address is asked to be
    /// confirmed by a mail in `language`, where the tenant wants that.
    package func signUp(
        _ transaction: LoginTransaction, email typed: String, password: String, name: String?, language: Language,
        now: Timestamp
    ) async throws -> AuthorizationAnswer {
        let tenant = transaction.tenant
        guard transaction.isAtLogin, transaction.choices.allowsSignUp, let connection = transaction.choices.database
        else { throw InteractionFailure.otherStep }
        let parsed = EmailAddress(parsing: typed)
        let objections = PasswordPolicy(minimumLength: tenant.settings.passwordMinimumLength)
            .objections(to: password, email: parsed)
        let failure = InteractionFailure(all: [
            parsed == nil ? .email : nil, objections.isEmpty ? nil : InteractionFailure(.password, objections),
        ])
        if let failure { throw failure }
        guard let email = parsed else { throw InteractionFailure.email }
        let address = transaction.browser.remoteAddress
        let counter = AttemptCounter(
            store: transactions.store, hashing: transactions.hashing, tenant: tenant, now: now)
        try await counter.check(.signUp, account: "", address: address)
        let hash = try await passwords.hash(SecretBytes(utf8: password))
        // Many at once wait for the hashes of each other; those before may have been one too many.
        try await counter.check(.signUp, account: "", address: address)
        var user = User(id: Identifiers.user(transactions.random), createdAt: now)
        user.email = email.description
        // As Auth0 has it of who gives no name.
        user.name =
            name.map { String($0.unicodeScalars.prefix(100).filter { $0.value >= 0x20 }.map(Character.init)) }
            ?? email.description
        user.nickname = String(email.description.prefix { $0 != "@" })
        var events = [
            transactions.event(
                .signedUp, transaction, user: user.id, now: now, details: ["email": .string(email.description)])
        ]
        var letter: VerificationLetter?
        if tenant.settings.verifiesEmails {
            if try await counter.mayWrite(to: email, from: address, limit: Self.letterLimit) {
                letter = try self.letter(to: email, user, language: language, tenant: tenant, now: now)
            }
            events.append(
                transactions.event(
                    letter == nil ? .emailVerificationRefused : .emailVerificationRequested, transaction,
                    user: user.id, now: now, details: ["email": .string(email.description)]))
        }
        guard
            try await transactions.store.signUp(
                user, passwordHash: hash, letter: letter, tenant: tenant.id, events: events)
        else {
            _ = try await counter.count(
                .signUp, account: "", address: address,
                event: transactions.anonymousEvent(
                    .signUpFailed, transaction, now: now,
                    details: ["email": .string(email.description), "reason": "the address is taken"]))
            throw InteractionFailure(
                .cannotSignUp, en: "You cannot sign up with this address. If you have an account, log in instead.",
                fr: "Impossible de s'inscrire avec cette adresse. Si vous avez un compte, connectez-vous.")
        }
        // Each is an account with entries in the log, so that one address does not make them without end.
        try await counter.countSuccess(.signUp, address: address)
        return try await logIn.proceed(
            transaction,
            as: Authentication(
                user: user.id, at: now, methods: [Authentication.password], connection: connection.name),
            now: now)
    }

    private func letter(
        to email: EmailAddress, _ user: User, language: Language, tenant: Tenant, now: Timestamp
    ) throws -> VerificationLetter {
        let ticket = Identifiers.ticket(transactions.random)
        return VerificationLetter(
            hash: transactions.hash(ticket),
            ticket: EmailTicket(user: user.id, email: email.description, resultURL: nil), createdAt: now,
            expiresAt: now + .seconds(VerifyEmail.ticketLifetime),
            mail: try mail.sealed(
                mail.signedUp(to: email, ticket: ticket, language: language, tenant: tenant), tenant: tenant,
                now: now))
    }
}
