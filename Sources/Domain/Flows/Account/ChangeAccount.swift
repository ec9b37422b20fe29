import Audit
package import AuthorizationCore
package import GuardianWire
package import Localization
package import Primitives

/// Changes an account at the wish of its person. Each change draws on the person's budget, leaves an audit entry with the
/// person as actor, and counts only while the session lives. A change of what the person logs in with goes to their
/// mailbox, too.
package struct ChangeAccount: Sendable {
    package enum Failure: Error, Sendable, Equatable {
        /// The session ended, or the thing to change is gone.
        case gone
        /// The session's proofs are too old for the change.
        case needsRecentProof
        /// The tenant does not let people delete accounts.
        case notAllowed
        /// Decisions are kept until then as evidence for others.
        case decisionsKept(until: Timestamp)
    }

    /// Seconds that a link for another phone works.
    package static let ticketLifetime = 900

    let store: any OwnAccountStore
    let budgets: AuditBudgets
    let hashing: any Hashing
    let random: any RandomSource
    let passwords: any PasswordHasher
    let mail: MailComposer
    let ceremonies: PasskeyCeremonies

    // MARK: phones

    /// Throws `InteractionFailure` for a name that is empty or too long.
    package func rename(
        _ device: DeviceID, to name: String, by visitor: PageVisitor, _ context: RequestContext
    ) async throws {
        let name = String(name.trimmed(\.isWhitespace))
        do throws(DeviceFailure) { try DeviceDescription.check(identifier: nil, name: name, push: nil) } catch {
            throw InteractionFailure(.name, localized.account.phones.badName)
        }
        try await apply(
            .rename(device, to: name), .deviceUpdated, device: device, details: ["changed": ["name"]], by: visitor,
            context)
    }

    package func remove(_ device: DeviceID, by visitor: PageVisitor, _ context: RequestContext) async throws {
        let name = try await names([device], visitor, context)
        try await apply(
            .phones(removing: [device], adding: nil), .unenrolled, device: device,
            mail: notice({ $0.phonesRemoved(name) }, visitor, context), by: visitor, context)
    }

    /// Makes a ticket for another phone, and removes the lost ones in the same change.
    package func addPhone(
        removing lost: [DeviceID] = [], by visitor: PageVisitor, _ context: RequestContext
    ) async throws -> String {
        let ticket = Identifiers.ticket(random)
        let kept = EnrollmentTicket(
            hash: hashing.sha256(Array(ticket.utf8)), tenant: context.tenant.id, user: visitor.user.id,
            createdAt: context.now, expiresAt: context.now + .seconds(Self.ticketLifetime),
            accessEndings: visitor.session.authentication.accessEndings,
            // A password alone adds a first phone and no other, as in a login.
            isForFirstDevice: visitor.session.authentication.secondFactorAt == nil)
        let change = AccountChange.phones(removing: lost, adding: kept)
        if let first = lost.first {
            let name = try await names(lost, visitor, context)
            try await apply(
                change, .unenrolled, device: first, mail: notice({ $0.phonesRemoved(name) }, visitor, context),
                by: visitor, context)
        } else {
            try await apply(
                change, .enrollmentTicketCreated, mail: notice(\.phoneLinkMade, visitor, context), by: visitor, context)
        }
        return ticket
    }

    private func names(
        _ devices: [DeviceID], _ visitor: PageVisitor, _ context: RequestContext
    ) async throws -> String {
        let owned = try await store.devices(of: visitor.user.id, tenant: context.tenant.id)
        return owned.filter { devices.contains($0.device.id) }.map(\.device.name.outside).joined(separator: ", ")
    }

    // MARK: recovery codes

    /// Returns new codes, which are shown once.
    package func makeRecoveryCodes(by visitor: PageVisitor, _ context: RequestContext) async throws -> [RecoveryCode] {
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode(random) }
        try await apply(
            .recoveryCodes(codes.map { $0.hash(hashing) }), .recoveryCodesMade,
            mail: notice(\.recoveryCodesMade, visitor, context), by: visitor, context)
        return codes
    }

    // MARK: passkeys

    /// Arguments for the browser, bound to the session.
    package func passkeyOptions(for visitor: PageVisitor, _ context: RequestContext) async throws -> PasskeyOptions {
        let passkeys = try await passkeys(visitor)
        return ceremonies.options(
            for: .account(visitor.user.id, visitor.session.id), of: visitor.user, passkeys,
            mayRegister: passkeys.count < OwnedPasskey.limit, context)
    }

    /// Adds a passkey, which logs the person in, too. Throws `PasskeyFailure` for what the authenticator or the browser
    /// made.
    package func addPasskey(
        _ registration: PasskeyRegistration, named name: String, by visitor: PageVisitor, _ context: RequestContext
    ) async throws {
        guard visitor.isRecent else { throw Failure.needsRecentProof }
        let user = visitor.user
        let made = try ceremonies.registered(registration, for: .account(user.id, visitor.session.id), context)
        let handle = ceremonies.challenges.handle(
            of: user.id, with: try await passkeys(visitor), tenant: context.tenant.id)
        let passkey = OwnedPasskey(
            made.passkey, of: user.id, handle: handle, device: nil, name: Self.kept(name), logsIn: true,
            createdAt: context.now)
        try await apply(
            .addPasskey(passkey, challenge: made.challenge), .passkeyRegistered, details: passkey.auditDetails,
            mail: mail.passkeyAdded(passkey, to: user, context), by: visitor, context)
    }

    package func letPasskeyLogIn(_ id: [UInt8], by visitor: PageVisitor, _ context: RequestContext) async throws {
        var passkey = try await passkey(id, visitor)
        passkey.logsIn = true
        try await apply(
            .letPasskeyLogIn(id), .passkeyRegistered, details: passkey.auditDetails,
            mail: mail.passkeyAdded(passkey, to: visitor.user, context), by: visitor, context)
    }

    /// An empty name changes nothing.
    package func renamePasskey(
        _ id: [UInt8], to name: String, by visitor: PageVisitor, _ context: RequestContext
    ) async throws {
        guard !name.isEmpty else { return }
        try await apply(
            .renamePasskey(id, to: Self.kept(name)), .accountChanged,
            details: try await passkey(id, visitor).auditDetails, by: visitor, context)
    }

    package func removePasskey(_ id: [UInt8], by visitor: PageVisitor, _ context: RequestContext) async throws {
        let passkey = try await passkey(id, visitor)
        try await apply(
            .removePasskey(id), .passkeyRemoved, details: passkey.auditDetails,
            mail: mail.passkeyRemoved(passkey, to: visitor.user, context), by: visitor, context)
    }

    private func passkeys(_ visitor: PageVisitor) async throws -> [OwnedPasskey] {
        try await store.passkeys(of: visitor.user.id, tenant: visitor.session.tenant)
    }

    private func passkey(_ id: [UInt8], _ visitor: PageVisitor) async throws -> OwnedPasskey {
        guard let owned = try await passkeys(visitor).first(where: { $0.passkey.id == id }) else { throw Failure.gone }
        return owned
    }

    /// A character may have many scalars, so these are counted.
    private static func kept(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(OwnedPasskey.nameRange.upperBound)))
    }

    // MARK: authenticator apps

    package func remove(
        _ authenticator: Authenticator, by visitor: PageVisitor, _ context: RequestContext
    ) async throws {
        try await apply(
            .removeAuthenticator(authenticator.id), .accountChanged,
            details: ["removed": "authenticator", "authenticator": .string(authenticator.id.rawValue)],
            mail: notice(\.authenticatorRemoved, visitor, context), by: visitor, context)
    }

    // MARK: sessions and applications

    package func end(_ session: SessionID, by visitor: PageVisitor, _ context: RequestContext) async throws {
        try await apply(
            .endSession(session), .loggedOut, details: ["sid": .string(session.rawValue)], by: visitor, context)
    }

    package func endOtherSessions(by visitor: PageVisitor, _ context: RequestContext) async throws {
        try await apply(.endOtherSessions, .loggedOut, details: ["sessions": "all others"], by: visitor, context)
    }

    package func withdraw(_ client: ClientID, by visitor: PageVisitor, _ context: RequestContext) async throws {
        try await apply(.withdraw(client), .consentWithdrawn, client: client, by: visitor, context)
    }

    // MARK: password and preferences

    /// True if the person has a password.
    package func hasPassword(_ visitor: PageVisitor, _ context: RequestContext) async throws -> Bool {
        try await store.account(visitor.user.id, tenant: context.tenant.id)?.passwordHash != nil
    }

    /// Throws `InteractionFailure` for a wrong old password, and for a new one that cannot be used.
    package func changePassword(
        from old: String, to new: String, by visitor: PageVisitor, _ context: RequestContext
    ) async throws {
        let hash = try await verified(old, of: visitor, context)
        let password = Password(new)
        let objections = PasswordPolicy(minimumLength: context.tenant.settings.passwordMinimumLength)
            .objections(to: password, email: visitor.user.email)
        guard objections.isEmpty else { throw InteractionFailure(.password, objections) }
        try await apply(
            .password(hash: try await passwords.hash(password), old: hash), .passwordChanged,
            mail: notice(\.passwordChanged, visitor, context), by: visitor, context)
    }

    /// The stored hash of the person's password. Wrong ones count as those of logins do.
    private func verified(_ text: String, of visitor: PageVisitor, _ context: RequestContext) async throws -> String {
        let (user, tenant) = (visitor.user, context.tenant.id)
        guard let hash = try await store.account(user.id, tenant: tenant)?.passwordHash else { throw Failure.gone }
        let subject = user.passwordSubject
        let counter = AttemptCounter(store: store, hashing: hashing, context: context)
        try await counter.check(.password, account: subject)
        let password = Password(text)
        let isTooLong = password.length > PasswordPolicy.maximumLength
        guard !isTooLong, try await passwords.verify(password, against: hash) != .none else {
            var event = context.event(.wrongPassword, charge: .limited(by: .bruteForce), user: user.id)
            event.actor = .person(user.id)
            _ = try await counter.count(.password, account: subject, event: event)
            throw InteractionFailure(.wrongCredentials, localized.account.password.wrongOld)
        }
        // Again, so that many guesses at once are no better than one after the other.
        try await counter.check(.password, account: subject)
        return hash
    }

    package func setLanguage(
        _ language: Language?, by visitor: PageVisitor, _ context: RequestContext
    ) async throws {
        guard language != visitor.user.language else { return }
        try await apply(
            .language(language), .accountChanged, details: ["changed": ["language"]], by: visitor, context)
    }

    package func setQuietHours(
        _ hours: QuietHours?, by visitor: PageVisitor, _ context: RequestContext
    ) async throws {
        guard hours != (try await store.preferences(of: visitor.user.id, tenant: context.tenant.id)).quietHours else {
            return
        }
        try await apply(
            .quietHours(hours), .accountChanged, details: ["changed": ["quiet_hours"]], by: visitor, context)
    }

    // MARK: the end

    /// Deletes the account with all its data, except the audit log. `password` is the person's, if there is one. Returns
    /// stored forms of the `auth_req_id`s of deleted requests.
    package func delete(
        password: String, by visitor: PageVisitor, _ context: RequestContext
    ) async throws -> [[UInt8]] {
        guard context.tenant.settings.allowsAccountDeletion else { throw Failure.notAllowed }
        let (user, tenant) = (visitor.user.id, context.tenant.id)
        if let end = try await store.decisionsKept(of: user, tenant: tenant, now: context.now) {
            throw Failure.decisionsKept(until: end)
        }
        if try await hasPassword(visitor, context) { _ = try await verified(password, of: visitor, context) }
        return try await apply(
            .deleteAccount, .accountDeleted, mail: notice(\.accountDeleted, visitor, context), by: visitor, context
        ).requests
    }

    // MARK: the change

    /// The mail that tells the person of a change. Nil for a person without an address.
    private func notice(
        _ sentence: (Texts.Mail.Notice) -> String, _ visitor: PageVisitor, _ context: RequestContext
    ) throws -> SealedMail? {
        try visitor.user.noticeAddress.map { email in
            try mail.sealed(
                mail.accountChanged(
                    sentence, to: email, visitor.user, address: context.remoteAddress, tenant: context.tenant),
                tenant: context.tenant, now: context.now)
        }
    }

    @discardableResult
    private func apply(
        _ change: AccountChange, _ kind: AuditEvent.Kind, client: ClientID? = nil, device: DeviceID? = nil,
        details: JSONObject = [:], mail: @autoclosure () throws -> SealedMail? = nil, by visitor: PageVisitor,
        _ context: RequestContext
    ) async throws -> AppliedChange {
        guard visitor.isRecent || !change.needsRecentProof else { throw Failure.needsRecentProof }
        let user = visitor.user
        let charge = try budgets.draw(on: .user(user.id), of: user, context)
        var event = context.event(
            kind, charge: charge, user: user.id, client: client, device: device, details: details)
        event.actor = .person(user.id)
        guard let applied = try await store.apply(change, by: AccountAuthor(visitor), event: event, mail: try mail())
        else { throw Failure.gone }
        return applied
    }
}
