package import Audit
package import AuthorizationCore
package import GuardianWire
import Primitives

/// Lists and changes the passkeys of a person on the account page. The page asks for a recent proof of the person before
/// each change.
package struct AccountPasskeys: Sendable {
    private let store: any PasskeyStore
    private let ceremonies: PasskeyCeremonies
    private let mail: MailComposer
    private let budgets: AuditBudgets

    package init(
        store: any PasskeyStore, ceremonies: PasskeyCeremonies, mail: MailComposer, budgets: AuditBudgets
    ) {
        self.store = store
        self.ceremonies = ceremonies
        self.mail = mail
        self.budgets = budgets
    }

    package func all(of user: User, _ context: RequestContext) async throws -> [OwnedPasskey] {
        try await store.passkeys(of: user.id, tenant: context.tenant.id)
    }

    /// True if the tenant lets passkeys log in, and the person has none.
    package func mayBeOffered(to user: User, _ context: RequestContext) async throws -> Bool {
        guard context.tenant.settings.passkeyLogin else { return false }
        return try await all(of: user, context).isEmpty
    }

    /// Arguments for the browser, bound to the session.
    package func options(
        for user: User, in session: SessionID, _ context: RequestContext
    ) async throws -> PasskeyOptions {
        let (tenant, challenges) = (context.tenant, ceremonies.challenges)
        let passkeys = try await all(of: user, context)
        return PasskeyOptions(
            challenge: Base64URL.encode(
                challenges.challenge(for: .account(user.id, session), tenant: tenant.id, at: context.now)),
            relyingParty: tenant.relyingParty,
            userID: Base64URL.encode(challenges.handle(of: user.id, with: passkeys, tenant: tenant.id)),
            userName: user.accountName,
            credentialIDs: passkeys.map(\.passkey).filter { $0.relyingParty == tenant.relyingParty }.map(\.id),
            mayRegister: passkeys.count < OwnedPasskey.limit)
    }

    /// Adds a passkey, which logs the person in, too. False if the person has as many as they may, or somebody has it.
    /// Throws `PasskeyFailure` for what the authenticator or the browser made.
    package func add(
        _ registration: PasskeyRegistration, named name: String, by visitor: PageVisitor, _ context: RequestContext
    ) async throws -> Bool {
        guard visitor.isRecent else { throw ChangeAccount.Failure.needsRecentProof }
        let (user, tenant) = (visitor.user, context.tenant.id)
        let made = try ceremonies.registered(registration, for: .account(user.id, visitor.session.id), context)
        let handle = ceremonies.challenges.handle(of: user.id, with: try await all(of: user, context), tenant: tenant)
        let passkey = OwnedPasskey(
            made.passkey, of: user.id, handle: handle, device: nil,
            name: Self.name(name), logsIn: true, createdAt: context.now)
        return try await store.register(
            NewPasskey(
                passkey, isFirst: false, challenge: made.challenge,
                event: try event(.passkeyRegistered, passkey, user, context),
                notice: try mail.passkeyAdded(passkey, to: user, context), by: AccountAuthor(visitor)),
            tenant: tenant)
    }

    /// Lets a passkey that a phone made log the person in. False if there is none.
    package func letLogIn(_ id: [UInt8], by visitor: PageVisitor, _ context: RequestContext) async throws -> Bool {
        guard var passkey = try await find(id, of: visitor, context) else { return false }
        passkey.logsIn = true
        return try await store.letLogIn(
            id, by: AccountAuthor(visitor), event: try event(.passkeyRegistered, passkey, visitor.user, context),
            notice: try mail.passkeyAdded(passkey, to: visitor.user, context))
    }

    /// False, with nothing changed, for an empty name, and if the person has no such passkey.
    package func rename(
        _ id: [UInt8], to name: String, by visitor: PageVisitor, _ context: RequestContext
    ) async throws -> Bool {
        guard !name.isEmpty, let passkey = try await find(id, of: visitor, context) else { return false }
        return try await store.rename(
            passkey: id, to: Self.name(name), by: AccountAuthor(visitor),
            event: try event(.accountChanged, passkey, visitor.user, context))
    }

    /// A character may have many scalars, so these are counted.
    private static func name(_ typed: String) -> String {
        String(String.UnicodeScalarView(typed.unicodeScalars.prefix(OwnedPasskey.nameRange.upperBound)))
    }

    /// False if the person has no such passkey.
    package func remove(_ id: [UInt8], by visitor: PageVisitor, _ context: RequestContext) async throws -> Bool {
        guard let passkey = try await find(id, of: visitor, context) else { return false }
        return try await store.remove(
            passkey: id, by: AccountAuthor(visitor),
            event: try event(.passkeyRemoved, passkey, visitor.user, context),
            notice: try mail.passkeyRemoved(passkey, to: visitor.user, context))
    }

    /// The passkey that a visitor with a recent proof may change. Nil if it is not theirs.
    private func find(_ id: [UInt8], of visitor: PageVisitor, _ context: RequestContext) async throws -> OwnedPasskey? {
        guard visitor.isRecent else { throw ChangeAccount.Failure.needsRecentProof }
        guard let found = try await store.passkey(id, tenant: context.tenant.id), found.user == visitor.user.id else {
            return nil
        }
        return found
    }

    private func event(
        _ kind: AuditEvent.Kind, _ passkey: OwnedPasskey, _ user: User, _ context: RequestContext
    ) throws -> AuditEvent {
        var event = context.event(
            kind, charge: try budgets.draw(on: .user(user.id), of: user, context), user: user.id,
            details: passkey.auditDetails)
        event.actor = .person(user.id)
        return event
    }
}
