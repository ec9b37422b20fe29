package import Audit
package import Primitives

/// Every use case of a server, made from the ports here and nowhere else. A class, because copies of so many parts would
/// cost.
package final class UseCases: Sendable {
    package let basic: BasicPorts
    /// Budgets of what actors do successfully.
    package let budgets = AuditBudgets()
    package let hub: DecisionHub
    package let channel: DeviceChannel
    package let others: OtherNodes
    package let delivery: DeliveryWorker
    package let backchannel: Backchannel
    package let tokens: Tokens
    package let devices: Devices
    package let login: Login
    package let pages: OwnPages
    package let health: ExamineTenant

    /// Throws errors of the password hasher.
    package init(_ ports: Ports) async throws {
        basic = ports.basic
        hub = DecisionHub(link: ports.link)
        channel = DeviceChannel(link: ports.link)
        others = OtherNodes(
            link: ports.link, node: ports.ways.owner, store: ports.basic.store, hub: hub, channel: channel,
            timer: ports.timer)
        delivery = ports.worker(channel, hub)
        tokens = Tokens(ports, budgets)
        backchannel = Backchannel(ports, tokens.issuer, budgets, hub, channel)
        devices = Devices(ports, budgets)
        // Hash of a random text, so that a login of an unknown user takes as long as any.
        let unknownUserHash = try await ports.passwords.hash(
            Password(Base64URL.encode(ports.basic.random.bytes(32))))
        login = Login(ports, devices.enroll, budgets, hub, unknownUserHash: unknownUserHash)
        pages = OwnPages(ports, login, budgets, hub)
        health = ExamineTenant(ports.examiner, ports.basic.store)
    }

    package var refusals: RefusalLog { basic.refusals }
    package var hashing: any Hashing { basic.hashing }
    package var random: any RandomSource { basic.random }
    package var oneTimeValues: any OneTimeValueStore { basic.store }
    package var deliveryLog: any DeliveryLog { basic.store }

    /// Requests to a person's phone, and what becomes of them.
    package struct Backchannel: Sendable {
        package let start: StartBackchannelRequest
        package let redeem: RedeemBackchannelRequest
        package let resolve: ResolveBackchannelRequest
        package let cancel: CancelBackchannelRequest
        package let consent: FetchConsent
        package let receipts: IssueReceipt
        package let pending: PendingNotifications
        package let requests: ReadRequests
        package let trial: TryClient

        init(
            _ ports: Ports, _ issuer: TokenIssuer, _ budgets: AuditBudgets, _ hub: DecisionHub, _ channel: DeviceChannel
        ) {
            let (basic, secrets) = (ports.basic, ports.keys.transactions)
            let (store, vault, refusals) = (basic.store, basic.vault, basic.refusals)
            receipts = basic.receipts
            start = StartBackchannelRequest(
                store: store, vault: vault, random: basic.random, sendsMail: ports.ways.sendsMail,
                cache: hub.cache, repeatable: ports.keys.starts, secrets: secrets, refusals: refusals)
            redeem = RedeemBackchannelRequest(
                store: store, issuer: issuer, receipts: receipts, vault: vault, clock: ports.clock, timer: ports.timer,
                cache: hub.cache, hub: hub, refusals: refusals)
            requests = ReadRequests(store: store, vault: vault, receipts: receipts, verifier: basic.verifier)
            trial = TryClient(start: start)
            resolve = ResolveBackchannelRequest(
                store: store, secrets: secrets, vault: vault, verifier: basic.verifier, passkeys: ports.passkeyAnswers,
                hub: hub, refusals: refusals, mail: basic.mail)
            cancel = CancelBackchannelRequest(store: store, vault: vault, hub: hub)
            consent = FetchConsent(
                store: store, secrets: secrets, vault: vault, verifier: basic.verifier, budgets: budgets,
                refusals: refusals)
            pending = PendingNotifications(
                store: store, vault: vault, composer: NotificationComposer(secrets: secrets), channel: channel.name,
                budgets: budgets)
        }
    }

    /// Clients, and the tokens that they get.
    package struct Tokens: Sendable {
        let issuer: TokenIssuer
        package let authenticator: ClientAuthenticator
        package let code: RedeemAuthorizationCode
        package let refresh: ExchangeRefreshToken
        package let ofClient: IssueClientToken
        package let reader: AccessTokenReader
        package let revoke: RevokeToken
        package let introspect: IntrospectToken
        package let userInfo: FetchUserInfo

        init(_ ports: Ports, _ budgets: AuditBudgets) {
            let (basic, secrets) = (ports.basic, ports.keys.refreshTokens)
            let (store, hashing) = (basic.store, basic.hashing)
            authenticator = ClientAuthenticator(
                hashing: hashing, verifier: basic.verifier, store: store, published: ports.published,
                trust: ports.trust)
            issuer = TokenIssuer(hashing: hashing, random: basic.random, refreshTokens: secrets)
            code = RedeemAuthorizationCode(store: store, revocations: store, issuer: issuer, hashing: hashing)
            refresh = ExchangeRefreshToken(store: store, secrets: secrets, issuer: issuer, budgets: budgets)
            ofClient = IssueClientToken(store: store, issuer: issuer)
            reader = AccessTokenReader(store: store, verifier: basic.verifier, hashing: hashing)
            revoke = RevokeToken(store: store, secrets: secrets, tokens: reader)
            introspect = IntrospectToken(families: store, secrets: secrets, tokens: reader)
            userInfo = FetchUserInfo(tokens: reader)
        }
    }

    /// Phones of people.
    package struct Devices: Sendable {
        package let authenticator: DeviceAuthenticator
        package let enroll: EnrollDevice
        package let codes: EnrollmentCodes
        package let add: AddPhone
        package let lose: LoseKey
        package let manage: ManageDevice
        package let preferences: ManagePreferences
        package let history: DecisionHistory
        package let passkeys: RegisterPasskey

        init(_ ports: Ports, _ budgets: AuditBudgets) {
            let basic = ports.basic
            let (store, hashing, refusals) = (basic.store, basic.hashing, basic.refusals)
            authenticator = DeviceAuthenticator(store: store, verifier: basic.verifier, hashing: hashing)
            enroll = basic.enroll
            codes = EnrollmentCodes(
                key: ports.keys.enrollmentCodes, store: store, hashing: hashing, random: basic.random, budgets: budgets,
                refusals: refusals)
            add = AddPhone(
                store: store, passkeys: ports.passkeyAnswers, challenges: ports.keys.passkeys, codes: codes,
                hashing: hashing, random: basic.random, budgets: budgets, refusals: refusals)
            lose = LoseKey(store: store, hashing: hashing)
            manage = ManageDevice(store: store, verifier: basic.verifier, budgets: budgets, outgoing: basic.outgoing)
            preferences = ManagePreferences(store: store, budgets: budgets)
            history = DecisionHistory(store: store, vault: basic.vault)
            passkeys = RegisterPasskey(
                store: store, ceremonies: ports.ceremonies, mail: basic.mail, budgets: budgets, refusals: refusals)
        }
    }
}

extension UseCases.Ports {
    var ceremonies: PasskeyCeremonies {
        PasskeyCeremonies(
            challenges: keys.passkeys, authenticators: passkeys, keys: basic.verifier, hashing: basic.hashing)
    }

    var passkeyAnswers: PasskeyAnswers { PasskeyAnswers(store: basic.store, ceremonies: ceremonies) }
}
