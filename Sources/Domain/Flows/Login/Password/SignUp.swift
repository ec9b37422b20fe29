package import Audit
package import AuthorizationCore
package import Localization
import Primitives

package protocol SignUpStore: AttemptStore {
    /// Keeps a new user of the database, with the mail that asks to confirm the address. False, with nothing kept, if
    /// the address is taken.
    func signUp(
        _ user: User, passwordHash: String, verification: VerificationMail?, tenant: TenantID, events: [AuditEvent]
    ) async throws -> Bool
}

/// Makes a user of the database from the sign-up form.
package struct SignUp: Sendable {
    /// Mails to one mailbox within the brute-force window.
    static let mailLimit = 5

    let store: any SignUpStore
    let transactions: LoginTransactions
    let hashing: any Hashing
    let random: any RandomSource
    let passwords: any PasswordHasher
    let moving: MovePeople
    let mail: MailComposer
    let refusals: RefusalLog

    /// Throws `InteractionFailure` for the person's faults, `AuthorizationPageFailure` if the login cannot go on. The
    /// form tells seldom, and no plainer than it must, that an address is taken. If the tenant wants it, a mail asks to
    /// confirm the address. `language` is the page's, and becomes that of the user's mails.
    package func signUp(
        _ transaction: LoginTransaction, email typed: String, password text: String, name: String?, language: Language
    ) async throws -> AuthorizationAnswer {
        let tenant = transaction.tenant
        guard transaction.step.provesUser, transaction.choices.allowsSignUp,
            let connection = transaction.choices.database
        else { throw InteractionFailure.otherStep }
        let parsed = EmailAddress(parsing: typed)
        let password = Password(text)
        let objections = PasswordPolicy(minimumLength: tenant.settings.passwordMinimumLength)
            .objections(to: password, email: parsed)
        let failure = InteractionFailure(all: [
            parsed == nil ? .email : nil, objections.isEmpty ? nil : InteractionFailure(.password, objections),
        ])
        if let failure { throw failure }
        guard let email = parsed else { throw InteractionFailure.email }
        let counter = AttemptCounter(store: store, hashing: hashing, context: transaction.context)
        try await counter.check(.signUp, account: "")
        if let server = connection.oldServer {
            // The address of a person who can be moved is taken. Counted before the call, which goes elsewhere.
            try await counter.reserveAtAddress(.signUp)
            let person = try await moving.person(
                email, from: server, of: connection, client: transaction.clientID, context: transaction.context)
            if person != nil { throw try await taken(email, transaction, counter) }
        }
        let hash = try await passwords.hash(password)
        // Again, since requests at once wait for each other's hashes. A reserved attempt is counted already.
        if connection.oldServer == nil { try await counter.check(.signUp, account: "") }
        let user = user(email, name: name, language: language, createdAt: transaction.context.now)
        let details: JSONObject = ["email": .string(email.description)]
        var events = [transaction.event(.signedUp, charge: .limited(by: .bruteForce), user: user.id, details: details)]
        var verification: VerificationMail?
        if tenant.settings.verifiesEmails {
            if try await counter.mayWrite(to: email, limit: Self.mailLimit) {
                verification = try self.verification(
                    to: email, user, language: language, client: transaction.clientID, transaction.context)
            }
            events.append(
                transaction.event(
                    verification == nil ? .emailVerificationRefused : .emailVerificationRequested,
                    charge: .limited(by: .bruteForce), user: user.id, details: details))
        }
        guard
            try await store.signUp(
                user, passwordHash: hash, verification: verification, tenant: tenant.id, events: events)
        else { throw try await taken(email, transaction, counter) }
        // Each success is an account with entries in the log, so one address makes a limited number of them.
        if connection.oldServer == nil { try await counter.countAtAddress(.signUp) }
        return try await transactions.proceed(
            transaction,
            as: Authentication(
                user: user.id, at: transaction.context.now, methods: [Authentication.password],
                connection: connection.name))
    }

    /// Counts an attempt at an address that somebody has.
    private func taken(
        _ email: EmailAddress, _ transaction: LoginTransaction, _ counter: AttemptCounter
    ) async throws -> InteractionFailure {
        _ = try await counter.count(
            .signUp, account: "",
            event: refusals.anonymous(
                transaction.refusal(
                    .signUpFailed, details: ["email": .string(email.description), "reason": "the address is taken"])))
        return InteractionFailure(.cannotSignUp, localized.failure.cannotSignUp)
    }

    private func user(_ email: EmailAddress, name: String?, language: Language, createdAt: Timestamp) -> User {
        var user = User(id: Identifiers.user(random), createdAt: createdAt)
        user.email = email
        // Auth0's name for a user who gave none.
        user.name =
            name.map { String($0.unicodeScalars.prefix(100).filter { $0.value >= 0x20 }.map(Character.init)) }
            ?? email.description
        user.nickname = email.localPart
        user.language = language
        return user
    }

    private func verification(
        to email: EmailAddress, _ user: User, language: Language, client: ClientID?, _ context: RequestContext
    ) throws -> VerificationMail {
        let ticket = Identifiers.ticket(random)
        return VerificationMail(
            hash: hashing.digest(ticket),
            ticket: EmailTicket(user: user.id, email: email, resultURL: nil), createdAt: context.now,
            expiresAt: context.now + .seconds(VerifyEmail.ticketLifetime),
            mail: try mail.sealed(
                mail.signedUp(
                    to: email, ticket: ticket, language: language, client: client, tenant: context.tenant),
                tenant: context.tenant, now: context.now))
    }
}
