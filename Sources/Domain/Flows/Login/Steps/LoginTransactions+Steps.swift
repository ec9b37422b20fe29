import AuthorizationCore
import OAuthWire

/// Store port for deciding the step that a login is at.
package typealias StepStore = LoginStore & SessionReader & ApproverStore & ConsentReader & OneTimePasswordReader
    & RecoveryCodeReader

extension LoginTransactions {
    /// Loads the session of the browser's cookie. A transaction that rests on another session begins anew: somebody
    /// logged out, or logged in as somebody else, in another tab.
    func loadSession(_ transaction: inout LoginTransaction) async throws {
        transaction.session = try await store.session(of: transaction.browser, transaction.context, hashing)?.session
        if let id = transaction.progress.restsOn, id != transaction.session?.id {
            transaction.progress = transaction.progress.beginning
        }
    }

    /// Reads what the next step depends on, no more than needed, and sets the step. A transaction in which somebody
    /// proved themselves begins anew once the user's access was ended, so that a stolen password is worth nothing after
    /// its replacement. Values of anybody but the user who is logging in are dropped.
    func refreshAndDecideNextStep(_ transaction: inout LoginTransaction) async throws {
        let tenant = transaction.tenant
        if let proven = transaction.progress.authentication,
            try await store.accessEndings(of: proven.user, tenant: tenant.id) != proven.accessEndings
        {
            transaction.progress = transaction.progress.beginning
        }
        let proven = transaction.authentication
        transaction.owner = proven.map { transaction.progress.owner($0, session: transaction.session) }
        transaction.progress.drop(allBut: transaction.owner)
        var factors = SecondFactors.none
        let requiresSecondFactor = transaction.isConfirmedEachTime
        let recency = transaction.goal.page?.recency(tenant.settings)
        transaction.user = nil
        let demand = tenant.settings.evidence
        if let proven, let approver = try await store.approver(.id(proven.user), at: tenant, meeting: demand),
            !approver.user.blocked
        {
            transaction.user = approver.user
            if let removed = approver.factorRemovedAt, let given = proven.secondFactorAt, given < removed {
                transaction.voidSecondFactor()
            }
            if requiresSecondFactor || recency != nil || tenant.settings.multiFactor != .never {
                factors = try await secondFactors(of: approver, for: transaction)
            }
        }
        if let user = transaction.user, let client = transaction.goal.client {
            transaction.access = transaction.checked.access.limited(
                to: user, client: client, configuration: transaction.configuration)
            transaction.granted =
                skipsConsent(transaction)
                ? nil
                : try await store.consent(
                    of: user.id, to: client.id, audience: transaction.access.audience, tenant: tenant.id)?.scope
        }
        transaction.step = transaction.progress.nextStep(
            in: AuthorizationProgress.Circumstances(
                request: transaction.request, skipsConsent: skipsConsent(transaction),
                choices: transaction.choices, policy: tenant.settings.multiFactor,
                requiresSecondFactorEachTime: requiresSecondFactor,
                session: transaction.session, user: transaction.user, factors: factors, recency: recency,
                scope: transaction.access.scope, granted: transaction.granted, now: transaction.context.now))
    }

    /// A page of this server asks for no access.
    private func skipsConsent(_ transaction: LoginTransaction) -> Bool {
        guard let client = transaction.goal.client else { return true }
        let api = transaction.configuration.resourceServers[transaction.access.audience]
        return client.isFirstParty && api?.skipsFirstPartyConsent ?? true
    }

    /// A one-time password and a recovery code show nothing, so they confirm no authorization details. A one-time
    /// password is offered to people who have an app that shows it.
    private func secondFactors(of approver: Approver, for transaction: LoginTransaction) async throws -> SecondFactors {
        let tenant = transaction.tenant
        let passwords = try await store.oneTimePasswords(of: approver.user.id, tenant: tenant.id)
        let recoveryCodes = try await store.recoveryCodes(of: approver.user.id, tenant: tenant.id)
        let mute = Set(approver.phones.filter { !$0.showsOneTimeCodes }.map(\.id))
        let mustBeShown = transaction.isConfirmedEachTime && transaction.request.authorizationDetails != nil
        return SecondFactors(
            push: !approver.devices(for: tenant.settings.evidence).isEmpty && tenant.settings.pushEnabled,
            oneTimePassword: passwords.contains { $0.holder.device.map { !mute.contains($0) } ?? true } && !mustBeShown,
            hasFactor: approver.hasPhone || !passwords.isEmpty || recoveryCodes > 0,
            recoveryCode: recoveryCodes > 0 && !mustBeShown)
    }

    /// Prepares a transaction for somebody who proves themselves in this request. If another tab logged in after the page
    /// was shown, its session would do; but a person who typed a password, or returns from a provider, wants that
    /// account. If somebody proved themselves in the transaction before, it stays at its step.
    package func reauthenticating(_ transaction: LoginTransaction) async throws -> LoginTransaction {
        guard transaction.progress.authentication == nil, !transaction.step.provesUser else { return transaction }
        var transaction = transaction
        transaction.progress.session = nil
        transaction.progress.belongings = nil
        transaction.progress.account = .other
        try await refreshAndDecideNextStep(&transaction)
        return transaction
    }

    /// Moves on as the session's user at the step `selectAccount`, or, with `other` and at any step, as another user.
    package func selectAccount(_ transaction: LoginTransaction, other: Bool) async throws -> AuthorizationAnswer {
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
        return try await proceed(transaction)
    }
}

extension LoginTransaction {
    /// Forgets a second factor that was given before one was removed: it may have been that one.
    fileprivate mutating func voidSecondFactor() {
        progress.authentication?.voidSecondFactor()
        session?.authentication.voidSecondFactor()
        progress.belongings?.gaveSecondFactor = false
    }
}

extension LoginTransactions {
    /// Moves on as a user who gave a second factor by `method` (RFC 8176).
    func pass(_ transaction: LoginTransaction, by method: String) async throws -> AuthorizationAnswer {
        try await proceed(try passed(transaction, by: method))
    }

    /// Keeps that the user gave a second factor, and gives the browser its session, but no answer to the client. The
    /// login goes on with the next request for its page.
    func pause(_ transaction: LoginTransaction, by method: String) async throws -> AuthorizationAnswer {
        try await pause(try passed(transaction, by: method))
    }

    private func passed(_ transaction: LoginTransaction, by method: String) throws -> LoginTransaction {
        guard var authentication = transaction.authentication else { throw AuthorizationPageFailure.noTransaction }
        var transaction = transaction
        authentication.add(method, at: transaction.context.now)
        transaction.prove(authentication)
        var theirs = AuthorizationProgress.Belongings(
            of: transaction.progress.owner(authentication, session: transaction.session))
        theirs.gaveSecondFactor = true
        theirs.offersRecoveryCodes = transaction.progress.belongings?.sealedEnrollment != nil
        theirs.consented = transaction.progress.belongings?.consented
        transaction.progress.belongings = theirs
        return transaction
    }
}
