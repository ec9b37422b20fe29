import Approver
import Audit
import AuthorizationCore
package import Flows
import HTTPModel
import Primitives

extension Application {
    /// Use cases of the endpoints. A class, because copies of so many parts would cost.
    package final class Flows: Sendable {
        package let hub: DecisionHub
        package let enroll: EnrollDevice
        let codes: EnrollmentCodes
        let addPhone: AddPhone
        let loseKey: LoseKey
        package let pending: PendingNotifications
        let authenticator: ClientAuthenticator
        let refusals: RefusalLog
        let receipts: IssueReceipt
        let start: StartBackchannelRequest
        let redeem: RedeemBackchannelRequest
        let redeemCode: RedeemAuthorizationCode
        let refresh: ExchangeRefreshToken
        let clientTokens: IssueClientToken
        let accessTokens: AccessTokenReader
        let revoke: RevokeToken
        let introspect: IntrospectToken
        let userInfo: FetchUserInfo
        let resolve: ResolveBackchannelRequest
        let cancel: CancelBackchannelRequest
        let consent: FetchConsent
        let devices: DeviceAuthenticator
        let manage: ManageDevice
        let passkeys: RegisterPasskey
        let preferences: ManagePreferences
        let history: DecisionHistory
        let events: any DeviceEventSource
        let hosted: HostedLogin
        let approver: ApproverApp

        /// Throws errors of the password hasher.
        init(_ ports: Ports) async throws {
            let (store, hashing, verifier, delivery) = (ports.store, ports.hashing, ports.verifier, ports.delivery)
            let (secrets, refreshTokens) = (ports.keys.transactions, ports.keys.refreshTokens)
            let issuer = TokenIssuer(hashing: hashing, random: ports.random, refreshTokens: refreshTokens)
            hub = ports.decisions
            let cache = hub.cache
            authenticator = ClientAuthenticator(
                hashing: hashing, verifier: verifier, store: store, published: ports.published, trust: ports.trust)

            let (vault, budgets) = (ports.vault, ports.budgets)
            refusals = vault.refusals
            receipts = IssueReceipt(store: store, vault: vault)
            start = StartBackchannelRequest(
                store: store, vault: vault, random: ports.random, sendsMail: ports.sendsMail, delivery: delivery,
                cache: cache, repeatable: ports.keys.starts, secrets: secrets, refusals: refusals)
            redeem = RedeemBackchannelRequest(
                store: store, issuer: issuer, receipts: receipts, vault: vault, clock: ports.clock, timer: ports.timer,
                cache: cache, hub: hub, refusals: refusals)
            resolve = ResolveBackchannelRequest(
                store: store, secrets: secrets, vault: vault, verifier: verifier,
                passkeys: PasskeyAnswers(store: store, ceremonies: ports.ceremonies), hub: hub,
                delivery: delivery, refusals: refusals, mail: MailComposer(sealer: ports.sealer))
            cancel = CancelBackchannelRequest(store: store, vault: vault, hub: hub, delivery: delivery)
            consent = FetchConsent(
                store: store, secrets: secrets, vault: vault, verifier: verifier, budgets: budgets, refusals: refusals)

            redeemCode = RedeemAuthorizationCode(store: store, revocations: store, issuer: issuer, hashing: hashing)
            refresh = ExchangeRefreshToken(store: store, secrets: refreshTokens, issuer: issuer, budgets: budgets)
            clientTokens = IssueClientToken(store: store, issuer: issuer)
            accessTokens = AccessTokenReader(store: store, verifier: verifier, hashing: hashing)
            revoke = RevokeToken(store: store, secrets: refreshTokens, tokens: accessTokens)
            introspect = IntrospectToken(families: store, secrets: refreshTokens, tokens: accessTokens)
            userInfo = FetchUserInfo(tokens: accessTokens)

            enroll = EnrollDevice(
                store: store, verifier: verifier, hashing: hashing, random: ports.random, sealer: ports.sealer,
                refusals: refusals, outgoing: ports.http.policy)
            codes = EnrollmentCodes(
                key: ports.keys.enrollmentCodes, store: store, hashing: hashing, random: ports.random, budgets: budgets,
                refusals: refusals)
            addPhone = AddPhone(
                store: store,
                passkeys: PasskeyAnswers(store: store, ceremonies: ports.ceremonies),
                challenges: ports.keys.passkeys, codes: codes, hashing: hashing, random: ports.random,
                budgets: budgets, refusals: refusals)
            loseKey = LoseKey(store: store, hashing: hashing)
            devices = DeviceAuthenticator(store: store, verifier: verifier, hashing: hashing)
            manage = ManageDevice(store: store, verifier: verifier, budgets: budgets, outgoing: ports.http.policy)
            preferences = ManagePreferences(store: store, budgets: budgets)
            history = DecisionHistory(store: store, vault: vault)
            passkeys = RegisterPasskey(
                store: store, ceremonies: ports.ceremonies, mail: MailComposer(sealer: ports.sealer),
                budgets: budgets, refusals: refusals)
            pending = PendingNotifications(
                store: store, vault: vault, composer: NotificationComposer(secrets: secrets),
                channel: ports.channel.name, budgets: budgets)
            events = ports.channel
            approver = ApproverApp(hashing: hashing)

            // Hash of a random text, so that a login of an unknown user takes as long as any.
            let unknownUserHash = try await ports.passwords.hash(
                Password(Base64URL.encode(ports.random.bytes(32))))
            hosted = HostedLogin(ports, unknownUserHash: unknownUserHash, enroll: enroll)
        }
    }
}
