import AuthorizationCore
import OAuthWire

/// Store port for deciding the step that a login is at.
package typealias StepStore = LoginStore & SessionReader & ApproverStore & ConsentReader & OneTimePasswordReader

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
            transaction.access = transaction.checked.access.limited(
                to: user, client: transaction.client, configuration: transaction.configuration)
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
                scope: transaction.access.scope, granted: transaction.granted, now: transaction.context.now))
    }

    private func skipsConsent(_ transaction: LoginTransaction) -> Bool {
        let api = transaction.configuration.resourceServers[transaction.access.audience]
        return transaction.client.isFirstParty && api?.skipsFirstPartyConsent ?? true
    }

    /// A one-time password shows nothing, so it confirms no authorization details.
    private func secondFactors(of approver: Approver, for transaction: LoginTransaction) async throws -> SecondFactors {
        let tenant = transaction.tenant
        let passwords = try await store.oneTimePasswords(of: approver.user.id, tenant: tenant.id)
        let mustBeShown = transaction.isConfirmedEachTime && transaction.request.authorizationDetails != nil
        return SecondFactors(
            push: !approver.devices(for: tenant.settings.evidence).isEmpty && tenant.settings.pushEnabled,
            oneTimePassword: !passwords.isEmpty && !mustBeShown,
            hasDevice: !approver.devices.isEmpty || !passwords.isEmpty)
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

extension LoginTransactions {
    /// Moves on as a user who gave a second factor by `method` (RFC 8176).
    func pass(_ transaction: LoginTransaction, by method: String) async throws -> AuthorizationAnswer {
        guard var authentication = transaction.authentication else { throw AuthorizationPageFailure.noTransaction }
        var transaction = transaction
        authentication.add(method)
        transaction.prove(authentication)
        var theirs = AuthorizationProgress.Belongings(
            of: transaction.progress.owner(authentication, session: transaction.session))
        theirs.gaveSecondFactor = true
        theirs.consented = transaction.progress.belongings?.consented
        transaction.progress.belongings = theirs
        return try await proceed(transaction)
    }
}
