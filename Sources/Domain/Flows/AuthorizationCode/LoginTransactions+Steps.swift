import AuthorizationCore
import OAuthWire
import Primitives

extension LoginTransactions {
    /// Loads the session of the browser's cookie. A transaction that rests on another session begins anew: somebody
    /// logged out, or logged in as somebody else, in another tab.
    func loadSession(_ transaction: inout LoginTransaction, now: Timestamp) async throws {
        transaction.session = try await session(of: transaction.browser, tenant: transaction.tenant, now: now)
        if let id = transaction.progress.restsOn, id != transaction.session?.id {
            transaction.progress = transaction.progress.beginning
        }
    }

    func session(of browser: Browser, tenant: Tenant, now: Timestamp) async throws -> Session? {
        guard let cookie = browser.sessionCookie else { return nil }
        return try await store.session(hash(cookie), tenant: tenant.id, now: now)?.session
    }

    /// Reads what the next step depends on, no more than needed, and sets the step. A transaction in which somebody
    /// proved themselves begins anew once the user's access was ended: by a stolen password that was replaced meanwhile,
    /// nobody goes on. What belongs to anybody but the user who is logging in is dropped.
    func refreshAndDecideNextStep(_ transaction: inout LoginTransaction, now: Timestamp) async throws {
        let tenant = transaction.tenant
        if let proven = transaction.progress.authentication,
            try await store.accessEndings(of: proven.user, tenant: tenant.id) != proven.accessEndings
        {
            transaction.progress = transaction.progress.beginning
        }
        let proven = transaction.progress.authentication(
            transaction.request, choices: transaction.choices, session: transaction.session, now: now)
        transaction.owner = proven.map { transaction.progress.owner($0, session: transaction.session) }
        transaction.progress.drop(allBut: transaction.owner)
        var factors = SecondFactors.none
        let requiresSecondFactor = transaction.isConfirmedEachTime
        transaction.user = nil
        if let proven, let approver = try await store.approver(.id(proven.user), tenant: tenant.id),
            !approver.user.blocked
        {
            transaction.user = approver.user
            if requiresSecondFactor || tenant.settings.multiFactor != .never {
                factors = try await secondFactors(of: approver, for: transaction)
            }
        }
        if let user = transaction.user {
            transaction.access = try access(for: user, transaction)
            transaction.granted =
                skipsConsent(transaction)
                ? nil
                : try await store.consent(
                    of: user.id, to: transaction.client.id, audience: transaction.access.audience, tenant: tenant.id)?
                    .scope
        }
        transaction.step = transaction.progress.nextStep(
            in: AuthorizationProgress.Circumstances(
                request: transaction.request, skipsConsent: skipsConsent(transaction),
                choices: transaction.choices, policy: tenant.settings.multiFactor,
                requiresSecondFactorEachTime: requiresSecondFactor,
                session: transaction.session, user: transaction.user, factors: factors,
                scope: transaction.access.scope, granted: transaction.granted, now: now))
    }

    private func skipsConsent(_ transaction: LoginTransaction) -> Bool {
        let api = transaction.configuration.resourceServers[transaction.access.audience]
        return transaction.client.isFirstParty && api?.skipsFirstPartyConsent ?? true
    }

    private func access(
        for user: User, _ transaction: LoginTransaction
    ) throws(AuthorizationPageFailure) -> RequestedAccess {
        let request = transaction.request
        do {
            return try RequestedAccess(
                audience: request.audience, scope: request.scope, details: request.authorizationDetails,
                client: transaction.client, configuration: transaction.configuration, user: user,
                checksSchemas: false)
        } catch {
            throw AuthorizationPageFailure.withdrawn(error)
        }
    }

    /// A one-time password shows nothing, so it confirms no authorization details.
    private func secondFactors(
        of approver: Approver, for transaction: LoginTransaction
    ) async throws -> SecondFactors {
        let tenant = transaction.tenant
        let passwords = try await store.oneTimePasswords(of: approver.user.id, tenant: tenant.id)
        let mustBeShown = transaction.isConfirmedEachTime && transaction.request.authorizationDetails != nil
        return SecondFactors(
            push: !approver.devices.isEmpty && tenant.settings.pushEnabled,
            oneTimePassword: !passwords.isEmpty && !mustBeShown,
            hasDevice: !approver.devices.isEmpty || !passwords.isEmpty)
    }

    /// Gives a complete authentication its session, with a new cookie where somebody proved themselves here, or the one
    /// that the browser has. The user's own session goes on under its `sid`, so that its clients hear of its end, and
    /// no longer than before where they did not prove themselves anew but added a second factor; the old cookie, which
    /// somebody else may have, is worth nothing. Another user's session ends. Returns the new cookie.
    func settleSession(_ transaction: inout LoginTransaction, now: Timestamp) async throws -> String? {
        guard transaction.progress.session == nil else { return nil }
        guard let authentication = transaction.progress.authentication else {
            transaction.progress.session = transaction.session?.id
            return nil
        }
        let cookie = Identifiers.handle(random)
        let settings = transaction.tenant.settings
        let own = transaction.session.flatMap { $0.authentication.user == authentication.user ? $0 : nil }
        let unrenewed = own.flatMap { authentication.at <= $0.authentication.at ? $0 : nil }
        let expiresAt = unrenewed?.expiresAt ?? now + .seconds(settings.sessionLifetime)
        let session = Session(
            hash: hash(cookie), id: own?.id ?? Identifiers.session(random), tenant: transaction.tenant.id,
            authentication: authentication, createdAt: unrenewed?.createdAt ?? now, lastUsedAt: now,
            expiresAt: expiresAt, idleExpiresAt: min(expiresAt, now + .seconds(settings.sessionIdleLifetime)))
        transaction.progress.session = session.id
        transaction.progress.belongings?.owner.session = session.id
        transaction.owner?.session = session.id
        // First the transaction, which only one of two tabs may take on, then what it points to.
        try await keep(&transaction)
        let created = try await store.create(
            session, replacing: transaction.session?.hash,
            event: event(
                .loggedIn, transaction, user: authentication.user, now: now,
                details: [
                    "connection": .string(authentication.connection), "amr": JSONValue(authentication.methods),
                ]))
        guard created else { throw AuthorizationPageFailure.noTransaction }
        transaction.session = session
        return cookie
    }
}
