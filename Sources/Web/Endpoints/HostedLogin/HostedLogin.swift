import Audit
import AuthorizationCore
import Flows
import HTTPModel
import JOSE
import Pages
import Primitives

/// The use cases behind the hosted pages, and what the pages are made with.
struct HostedLogin: Sendable {
    let begin: BeginAuthorization
    let push: PushAuthorizationRequest
    let transactions: LoginTransactions
    let logIn: PasswordLogin
    let signUp: SignUp
    let recovery: RecoverPassword
    let verifyEmail: VerifyEmail
    let enrollmentTickets: OpenEnrollmentTicket
    let secondFactor: SecondFactor
    let consent: DecideConsent
    let upstream: UpstreamLogin
    let endSession: EndSession
    let formTokens: FormTokens
    let repeatedForms = RepeatedForms()
    private let hashing: any Hashing
    let random: any RandomSource
    let assets: Assets
    let qrCode: @Sendable (String) -> [[Bool]]?

    /// `unknownUserHash` is a hash of something random, made by `ports.passwords`.
    init(
        _ ports: Application.Ports, unknownUserHash: String, enroll: EnrollDevice, decisions: DecisionHub,
        refusals: RefusalLog
    ) {
        hashing = ports.hashing
        let mail = MailComposer(sealer: ports.sealer)
        random = ports.random
        transactions = LoginTransactions(
            store: ports.store, hashing: hashing, random: ports.random, refusals: refusals)
        let limit = LoginLimit()
        begin = BeginAuthorization(transactions: transactions, verifier: ports.verifier, limit: limit)
        push = PushAuthorizationRequest(store: ports.store, hashing: hashing, random: ports.random, limit: limit)
        logIn = PasswordLogin(
            transactions: transactions, passwords: ports.passwords, unknownUserHash: unknownUserHash, mail: mail)
        signUp = SignUp(logIn: logIn, transactions: transactions, passwords: ports.passwords, mail: mail)
        recovery = RecoverPassword(
            store: ports.store, passwords: ports.passwords, hashing: hashing, random: ports.random, mail: mail,
            refusals: refusals)
        verifyEmail = VerifyEmail(store: ports.store, hashing: hashing)
        enrollmentTickets = OpenEnrollmentTicket(store: ports.store, accounts: ports.store, hashing: hashing)
        secondFactor = SecondFactor(
            transactions: transactions, sealer: ports.sealer, enroll: enroll, outbox: ports.outbox,
            decisions: decisions, timer: ports.timer, hold: ports.pageHold)
        consent = DecideConsent(transactions: transactions)
        let providers = UpstreamProviders(client: ports.http)
        upstream = UpstreamLogin(
            start: StartUpstreamLogin(providers: providers, hashing: hashing, random: ports.random),
            finish: FinishUpstreamLogin(
                providers: providers, accounts: ports.store, sealer: ports.sealer, verifier: ports.verifier,
                hashing: hashing),
            logIn: logIn)
        endSession = EndSession(store: ports.store, verifier: ports.verifier, hashing: hashing)
        formTokens = FormTokens(key: ports.keys.forms, hashing: hashing)
        assets = Assets(hashing: hashing)
        qrCode = ports.qrCode
    }

    func proofCookie(of transaction: String) -> Cookie { .proof(of: transaction, hashing) }

    /// Stands for the cookies of a request that prove who is there.
    func sender(of visit: PageRequest) -> RepeatedForms.Key {
        let cookies = [visit.browser.sessionCookie, visit.browser.proofCookie].map { $0 ?? "" }
        return hashing.sha256(Array(cookies.joined(separator: "\n").utf8))
    }

    /// Stands for a form that was sent, with all its fields and the browser that it came from.
    func key(of visit: PageRequest) -> RepeatedForms.Key {
        let request = visit.context.request
        return key(of: visit, request.path, request.body)
    }

    /// Stands for the login that a page belongs to, in the browser that it came from.
    func loginKey(of visit: PageRequest) -> RepeatedForms.Key { key(of: visit, "", Array(visit.state.utf8)) }

    private func key(of visit: PageRequest, _ path: String, _ bytes: [UInt8]) -> RepeatedForms.Key {
        let place = [visit.tenant.id.rawValue, visit.binding, path].joined(separator: "\n")
        return hashing.sha256(Array("\(place)\n".utf8) + bytes)
    }
}
