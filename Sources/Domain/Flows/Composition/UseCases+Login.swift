import Audit

extension UseCases {
    /// Steps of a login in the browser.
    package struct Login: Sendable {
        package let limit = LoginLimit()
        package let completion: CompleteAuthorization
        package let transactions: LoginTransactions
        package let push: PushAuthorizationRequest
        package let begin: BeginAuthorization
        package let password: PasswordLogin
        package let passkey: PasskeyLogin
        package let signUp: SignUp
        package let recovery: RecoverPassword
        package let emailTickets: VerifyEmail
        package let enrollmentTickets: OpenEnrollmentTicket
        package let upstream: UpstreamLogin
        package let phone: PushFactor
        package let oneTimePassword: OneTimePasswordFactor
        package let firstDevice: EnrollFirstDevice
        package let recoveryCodes: RecoveryCodeFactor
        package let consent: DecideConsent
        package let end: EndSession

        init(
            _ ports: Ports, _ enroll: EnrollDevice, _ budgets: AuditBudgets, _ hub: DecisionHub, unknownUserHash: String
        ) {
            let (basic, passwords) = (ports.basic, ports.passwords)
            let (store, hashing, random) = (basic.store, basic.hashing, basic.random)
            let (mail, sealer, refusals) = (basic.mail, basic.sealer, basic.refusals)
            let moving = MovePeople(
                store: store, servers: ports.oldServers, passwords: passwords, sealer: sealer, random: random,
                refusals: refusals)
            let watch = StoreWatch(decisions: hub, timer: ports.timer, hold: ports.pageHold)
            completion = CompleteAuthorization(store: store, hashing: hashing, random: random, budgets: budgets)
            transactions = LoginTransactions(store: store, hashing: hashing, random: random, completion: completion)
            push = PushAuthorizationRequest(store: store, hashing: hashing, random: random, limit: limit)
            begin = BeginAuthorization(
                store: store, transactions: transactions, completion: completion, hashing: hashing,
                verifier: basic.verifier, limit: limit)
            password = PasswordLogin(
                store: store, transactions: transactions, hashing: hashing, passwords: passwords,
                unknownUserHash: unknownUserHash, moving: moving, mail: mail, refusals: refusals)
            passkey = PasskeyLogin(
                store: store, transactions: transactions, ceremonies: ports.ceremonies, hashing: hashing,
                refusals: refusals)
            signUp = SignUp(
                store: store, transactions: transactions, hashing: hashing, random: random, passwords: passwords,
                moving: moving, mail: mail, refusals: refusals)
            recovery = RecoverPassword(
                store: store, passwords: passwords, hashing: hashing, random: random, moving: moving, mail: mail,
                refusals: refusals)
            emailTickets = VerifyEmail(store: store, hashing: hashing)
            enrollmentTickets = OpenEnrollmentTicket(store: store, accounts: store, hashing: hashing, watch: watch)
            upstream = UpstreamLogin(ports, transactions, budgets)
            phone = PushFactor(
                store: store, transactions: transactions, vault: basic.vault, secrets: ports.keys.transactions,
                random: random, places: ports.places, decisions: hub, timer: ports.timer, hold: ports.pageHold)
            oneTimePassword = OneTimePasswordFactor(
                store: store, transactions: transactions, hashing: hashing, sealer: sealer, mail: mail, push: phone)
            firstDevice = EnrollFirstDevice(
                store: store, sealer: sealer, enroll: enroll, budgets: budgets, watch: watch)
            recoveryCodes = RecoveryCodeFactor(
                store: store, transactions: transactions, hashing: hashing, mail: mail, push: phone)
            consent = DecideConsent(transactions: transactions, hashing: hashing)
            end = EndSession(store: store, verifier: basic.verifier, hashing: hashing)
        }
    }

    /// Pages of this server's own, which a person's session opens.
    package struct OwnPages: Sendable {
        package let login: PageLogin
        package let answers: AnswerOnPage
        package let account: ReadAccount
        package let changes: ChangeAccount

        init(_ ports: Ports, _ login: Login, _ budgets: AuditBudgets, _ hub: DecisionHub) {
            let basic = ports.basic
            let (store, vault) = (basic.store, basic.vault)
            self.login = PageLogin(store: store, transactions: login.transactions, limit: login.limit)
            answers = AnswerOnPage(
                store: store, secrets: ports.keys.transactions, vault: vault, hub: hub,
                timer: ports.timer, hold: ports.pageHold)
            account = ReadAccount(
                store: store, history: DecisionHistory(store: store, vault: vault), receipts: basic.receipts,
                budgets: budgets, places: ports.places)
            changes = ChangeAccount(
                store: store, budgets: budgets, hashing: basic.hashing, random: basic.random,
                passwords: ports.passwords, mail: basic.mail, ceremonies: ports.ceremonies)
        }
    }
}

extension UpstreamLogin {
    fileprivate init(_ ports: UseCases.Ports, _ transactions: LoginTransactions, _ budgets: AuditBudgets) {
        let (basic, providers) = (ports.basic, UpstreamProviders(client: ports.http))
        self.init(
            store: basic.store, transactions: transactions,
            starting: StartUpstreamLogin(providers: providers, hashing: basic.hashing, random: basic.random),
            finishing: FinishUpstreamLogin(
                providers: providers, accounts: basic.store, sealer: basic.sealer, verifier: basic.verifier,
                hashing: basic.hashing, budgets: budgets),
            refusals: basic.refusals)
    }
}
