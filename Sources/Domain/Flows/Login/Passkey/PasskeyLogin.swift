import ApprovalWire
import Audit
import AuthorizationCore
import GuardianWire
import Localization
import Primitives

package protocol PasskeyLoginStore: PasskeyStore, AccountReader, AttemptStore {}

/// Logs people in by a passkey (WebAuthn Level 3, 7.2), which counts as two factors: the authenticator, and what it
/// verifies the person by. The authenticator names the person, so the page asks for no name and tells none.
package struct PasskeyLogin: Sendable {
    /// Arguments of `navigator.credentials.get` for one page of one login.
    package struct Offer: Sendable, Equatable {
        package let challenge: [UInt8]
        package let relyingParty: String
    }

    let store: any PasskeyLoginStore
    let transactions: LoginTransactions
    let ceremonies: PasskeyCeremonies
    let hashing: any Hashing
    let refusals: RefusalLog

    /// Nil if passkeys log nobody in here: by the tenant's setting, or because the client's people are those of other
    /// providers, which may have ended their access.
    package func offer(_ transaction: LoginTransaction) -> Offer? {
        guard transaction.tenant.settings.passkeyLogin, transaction.choices.database != nil else { return nil }
        return Offer(
            challenge: ceremonies.challenges.challenge(
                for: transaction.purpose, tenant: transaction.tenant.id, at: transaction.context.now),
            relyingParty: transaction.tenant.relyingParty)
    }

    /// `text` is a `PasskeyLoginAnswer`. Throws `InteractionFailure` for what the person or the browser did wrong, with one text for all reasons but a
    /// block, and `AuthorizationPageFailure` if the login cannot go on.
    package func logIn(
        _ transaction: LoginTransaction, by text: String
    ) async throws -> AuthorizationAnswer {
        guard transaction.step.provesUser, let database = transaction.choices.database, offer(transaction) != nil else {
            throw InteractionFailure.otherStep
        }
        let (tenant, now) = (transaction.tenant, transaction.context.now)
        let counter = AttemptCounter(store: store, hashing: hashing, context: transaction.context)
        try await counter.checkAddress(.passkey)
        let answer: PasskeyLoginAnswer
        do { answer = try PasskeyLoginAnswer(parsing: Array(text.utf8)) } catch {
            try await refuse(PasskeyFailure("\(error)"), nil, transaction, counter)
        }
        let owned = try await store.passkey(answer.assertion.credentialID, tenant: tenant.id)
        let checked: (passkey: OwnedPasskey, use: PasskeyUse, challenge: UsedProof)
        do throws(PasskeyFailure) {
            checked = try check(answer, owned, transaction)
        } catch {
            try await refuse(error, owned, transaction, counter)
        }
        guard let account = try await store.account(checked.passkey.user, tenant: tenant.id),
            account.user.connection == database.name
        else { try await refuse(PasskeyFailure("its person is of another connection"), owned, transaction, counter) }
        guard !account.user.blocked else {
            try await refusals.record(
                transaction.refusal(.loginFailed, user: account.user.id, details: ["reason": "user is blocked"]),
                of: account.user.id.rawValue)
            throw InteractionFailure.userBlocked
        }
        var transaction = transaction
        try transactions.charge(account.user.id, &transaction)
        guard
            try await store.logIn(
                by: checked.use, of: account.user.id, challenge: checked.challenge, tenant: tenant.id, now: now)
        else {
            try await refuse(
                PasskeyFailure("its challenge was used, or its signature count did not grow"), owned, transaction,
                counter)
        }
        return try await transactions.proceed(
            transaction,
            as: Authentication(
                user: account.user.id, at: now, methods: Authentication.passkey, connection: database.name,
                accessEndings: account.accessEndings, secondFactorAt: now))
    }

    private func check(
        _ answer: PasskeyLoginAnswer, _ owned: OwnedPasskey?, _ transaction: LoginTransaction
    ) throws(PasskeyFailure) -> (passkey: OwnedPasskey, use: PasskeyUse, challenge: UsedProof) {
        let tenant = transaction.tenant
        let client = try ceremonies.asserted(answer.assertion)
        guard
            let challenge = ceremonies.challenges.proof(
                of: client.challenge, for: transaction.purpose, tenant: tenant.id, at: transaction.context.now)
        else { throw PasskeyFailure("its challenge is not of this login") }
        guard let owned else { throw PasskeyFailure("it is not registered") }
        guard constantTimeEquals(owned.handle, answer.userHandle) else {
            throw PasskeyFailure("its user handle is another one")
        }
        guard owned.logsIn else { throw PasskeyFailure("it confirms requests alone") }
        guard owned.passkey.relyingParty == tenant.relyingParty, client.origin == "https://\(tenant.host)" else {
            throw PasskeyFailure("it is of another host")
        }
        return (owned, try ceremonies.use(of: answer.assertion, client, by: owned.passkey, at: tenant), challenge)
    }

    /// Counts for the address alone: somebody who knows the id of a passkey must not keep its person from logging in.
    private func refuse(
        _ failure: PasskeyFailure, _ owned: OwnedPasskey?, _ transaction: LoginTransaction, _ counter: AttemptCounter
    ) async throws -> Never {
        try await counter.countAtAddress(.passkey)
        let refusal = transaction.refusal(
            .loginFailed, user: owned?.user, details: ["reason": .string("passkey: \(failure.description)")])
        try await refusals.record(refusal, of: owned?.user.rawValue ?? RefusalLog.anonymous)
        throw InteractionFailure(.passkey, localized.passkeys.refused)
    }
}

extension LoginTransaction {
    fileprivate var purpose: PasskeyChallenges.Purpose {
        .login(hash: stored.hash, browserHash: stored.browserHash)
    }
}

extension Authentication {
    /// RFC 8176: possession of a key, a test of the person's presence, and more than one factor. Without attestation
    /// nobody knows if hardware keeps the key (`hwk`, `swk`).
    static let passkey = [deviceKey, "user", multiFactor]
}
