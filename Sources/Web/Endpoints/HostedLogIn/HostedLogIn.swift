public import Flows
public import Pages
public import Primitives

/// The use cases behind the hosted pages, and what the pages are made with.
public struct HostedLogIn: Sendable {
    let begin: BeginAuthorization
    let push: PushAuthorizationRequest
    let transactions: AuthorizationTransactions
    let logIn: LogIn
    let signUp: SignUp
    let recovery: RecoverPassword
    let secondFactor: SecondFactor
    let consent: DecideConsent
    let upstream: UpstreamLogIn
    let endSession: EndSession
    let backchannelLogout: BackchannelLogout
    let formTokens: FormTokens
    let random: any RandomSource
    let assets: Assets
    /// The modules of the QR code of a text, row by row; nil where it is too long.
    let qrCode: @Sendable (String) -> [[Bool]]?

    public init(
        begin: BeginAuthorization, push: PushAuthorizationRequest, transactions: AuthorizationTransactions,
        logIn: LogIn, signUp: SignUp, recovery: RecoverPassword, secondFactor: SecondFactor,
        consent: DecideConsent, upstream: UpstreamLogIn, endSession: EndSession,
        backchannelLogout: BackchannelLogout, formTokens: FormTokens, random: any RandomSource, assets: Assets,
        qrCode: @escaping @Sendable (String) -> [[Bool]]?
    ) {
        self.begin = begin
        self.push = push
        self.transactions = transactions
        self.logIn = logIn
        self.signUp = signUp
        self.recovery = recovery
        self.secondFactor = secondFactor
        self.consent = consent
        self.upstream = upstream
        self.endSession = endSession
        self.backchannelLogout = backchannelLogout
        self.formTokens = formTokens
        self.random = random
        self.assets = assets
        self.qrCode = qrCode
    }
}
