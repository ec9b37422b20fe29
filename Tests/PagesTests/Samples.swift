import Localization
import OAuthWire
import OpenSSLCrypto
import Pages
import Primitives
import TestSupport
import Testing

/// One page of each kind, in each visible state, with the given text as all untrusted text.
struct Samples {
    /// The link of a page that enrols a phone.
    static let approver = "https://login.example/approver#enroll=a"
    static let logo = "https://logo.example/agent.png"
    static let store = "https://apps.example/app"
    static let ticket = "n2xq0DkTrCfMZ0OVnN3cJ2Jw5Cw1yR8p"

    /// Text of names and addresses.
    var outside = "Zoë 42"
    /// A problem and a rule, as the flows pass them.
    var problem = localized.failure.wrongCredentials
    var rule = localized.password.rule(8)

    static let assets = Assets(hashing: OpenSSLHashing())

    /// A page without a form.
    static let loggedOut = DonePage(title: localized.logout.loggedOut, explanation: localized.logout.loggedOutLead)

    var frame: PageFrame {
        PageFrame(branding: Branding(name: outside), language: .english, assets: Self.assets)
    }

    var form: PageForm {
        PageForm(
            action: PageURL(path: "/u/step", query: [("state", outside)]), csrf: "c\(outside)",
            hidden: [HiddenField(FieldName.state, outside)])
    }

    /// `waits` as on a page that nobody tried a passkey on.
    func passkey(waits: Bool) -> PasskeyRequest {
        PasskeyRequest(
            .logIn(waits: waits), form: form, challenge: "c2hhbGxlbmdl", host: "id.example", assets: Self.assets)
    }

    var page: PageURL { PageURL(path: "/u/other", query: [("state", outside)]) }

    var account: AccountInUse { AccountInUse(name: outside, change: form) }

    var connections: [ConnectionChoice] {
        [ConnectionChoice(displayName: outside, url: PageURL(path: "/u/connect/\(outside)"))]
    }

    func details() throws -> AuthorizationDetails {
        try AuthorizationDetails(
            [
                [
                    "type": .string(outside), "instructedAmount": ["amount": .string(outside), "currency": "EUR"],
                    "creditor_name": .string(outside), "parts": [1, .string(outside), ["deep": [true, false, nil]]],
                    "empty": [], "nothing": [:], "\(outside)": "x",
                ]
            ], limits: nil)
    }

    private func approval(
        _ answering: ApprovalPage.Answering, isFirstParty: Bool = true, isUnread: Bool = false
    ) -> ApprovalPage {
        var page = ApprovalPage(
            asker: .init(
                name: outside, logo: PageURL(Samples.logo), isFirstParty: isFirstParty,
                tenant: outside),
            api: outside, message: outside,
            scopes: [.init("openid"), .init(outside), .init("x", description: outside), .init("offline_access")],
            details: [
                [
                    "type": .string(outside), "total": ["amount": "12.50", "currency": "EUR"],
                    "iban": "DE89370400440532013000", "note": .string(outside), "parts": [.string(outside)],
                ]
            ],
            presentation: [
                [
                    "label": .string(outside), "description": .string(outside), "order": ["note", "total"],
                    "labels": ["de": .string(outside)],
                    "members": [
                        "total": ["label": .string(outside), "format": "money"], "iban": ["format": "account"],
                        "note": ["description": .string(outside)], "parts": ["items": ["label": .string(outside)]],
                    ],
                ]
            ], timeLeft: 7000, expiresAt: Timestamp(seconds: 1_700_000_000), answering: answering, user: outside,
            approver: PageURL("/approver#request=cns_1"))
        page.isUnread = isUnread
        return page
    }

    /// Details with four headlines, one more than fits.
    private var payments: [JSONObject] {
        (1...4).map { amount in
            [
                "type": .string(outside), "amount": ["value": .string("\(amount).00"), "currency": "EUR"],
                "payee": .string(outside),
            ]
        }
    }

    private func ended(_ ending: ApprovalEndedPage.Ending, isElsewhere: Bool = false) -> ApprovalEndedPage {
        ApprovalEndedPage(
            ending, isElsewhere: isElsewhere, client: outside,
            details: [["type": "t", "amount": ["value": "12.50", "currency": "EUR"], "payee": .string(outside)]])
    }

    func pages() throws -> [(name: String, page: any Page)] {
        let modules = (0..<21).map { row in (0..<21).map { column in (row * 7 + column * column) % 3 == 0 } }
        let redirect = try #require(PageURL("https://client.example/callback"))
        return [
            (
                "login",
                LoginPage(
                    form: form, client: outside, passkey: passkey(waits: true), connections: connections,
                    forgotPassword: page, signUp: page)
            ),
            (
                "login-problem",
                LoginPage(
                    form: form, client: outside, hasUsernames: true,
                    username: FieldInput(outside, problem: problem), problem: problem)
            ),
            (
                "login-passkey-problem",
                LoginPage(form: form, client: outside, problem: problem, passkey: passkey(waits: false))
            ),
            ("login-connections", LoginPage(form: nil, client: outside, problem: problem, connections: connections)),
            (
                "sign-up",
                SignUpPage(
                    form: form, client: outside, passwordRule: rule, connections: connections, logIn: page)
            ),
            (
                "sign-up-problem",
                SignUpPage(
                    form: form, client: outside, email: FieldInput(outside, problem: problem),
                    name: FieldInput(outside, problem: problem),
                    passwordProblem: problem, passwordRule: rule, problem: problem, logIn: page)
            ),
            (
                "passkeys",
                PasskeysPage(
                    entries: [true, false].map { PasskeysPage.Entry(name: outside, logsIn: $0, form: form) },
                    adding: PasskeyRequest(
                        .add(userHandle: "aGFuZGxl", name: outside, known: ["a25vd24", "b3RoZXI"]), form: form,
                        challenge: "c2hhbGxlbmdl", host: "id.example", assets: Self.assets), newName: "Passkey 3",
                    back: page)
            ),
            (
                "passkeys-none",
                PasskeysPage(entries: [], adding: nil, newName: "Passkey 1", problem: problem, back: page)
            ),
            ("forgot-password", ForgotPasswordPage(form: form, logIn: page)),
            (
                "forgot-password-problem",
                ForgotPasswordPage(form: form, email: FieldInput(outside, problem: problem), problem: problem)
            ),
            ("forgot-password-sent", ForgotPasswordSentPage(email: outside, logIn: page)),
            ("reset-password", ResetPasswordPage(form: form, email: outside, passwordRule: rule)),
            (
                "reset-password-problem",
                ResetPasswordPage(
                    form: form, email: outside, passwordProblem: problem, passwordAgainProblem: problem,
                    passwordRule: rule, problem: problem)
            ),
            ("verify-email", VerifyEmailPage(form: form, email: outside)),
            ("done", DonePage(title: problem, explanation: problem)),
            ("password-changed", PasswordChangedPage(goOn: page)),
            ("password-changed-end", PasswordChangedPage()),
            (
                "consent",
                ConsentPage(
                    form: form, client: outside, api: outside, account: account,
                    scopes: [
                        .init("openid"), .init("email"), .init(outside), .init("x", description: outside),
                        .init("offline_access"),
                    ], details: try details(), destination: outside)
            ),
            ("consent-profile", ConsentPage(form: form, client: outside, scopes: [.init("profile")])),
            ("consent-user", ConsentPage(form: form, client: outside, account: account, scopes: [])),
            ("consent-api", ConsentPage(form: form, client: outside, api: outside, scopes: [])),
            ("approval", approval(.here(form))), ("approval-by-number", approval(.byNumber(form, ["07", "42", "85"]))),
            ("approval-by-typed-number", approval(.byTypedNumber(form))),
            ("approval-on-phone", approval(.onPhone, isFirstParty: false)),
            (
                "approval-plain",
                ApprovalPage(
                    asker: .init(name: outside, logo: nil, isFirstParty: nil, tenant: outside), api: outside,
                    message: outside, scopes: [], timeLeft: 3, answering: .here(form), user: outside, approver: nil)
            ),
            ("approval-unread", approval(.here(form), isUnread: true)),
            (
                "approval-several",
                ApprovalPage(
                    asker: .init(name: outside, logo: nil, isFirstParty: nil, tenant: outside), api: outside,
                    message: outside, scopes: [], details: payments, timeLeft: 3, answering: .here(form),
                    user: outside, approver: nil)
            ),
            ("approval-allowed", ended(.allowed)), ("approval-rejected", ended(.rejected, isElsewhere: true)),
            ("approval-reported", ended(.reported)), ("approval-wrong-number", ended(.wrongNumber)),
            ("approval-withdrawn", ended(.withdrawn)), ("approval-expired", ended(.expired)),
            ("approval-other-account", ApprovalOtherAccountPage(form: form, user: outside)),
            (
                "multi-factor-push",
                MultiFactorPushPage(form: form, hasNotAnswered: true, useCode: page, account: account)
            ),
            (
                "multi-factor-push-pick",
                MultiFactorPushPage(form: form, number: "07", matching: .pick, useCode: page, account: account)
            ),
            (
                "multi-factor-push-type",
                MultiFactorPushPage(form: form, number: "07", matching: .type, useCode: page, account: account)
            ),
            ("multi-factor-push-number", MultiFactorPushPage(form: form, number: "47")),
            ("multi-factor-push-problem", MultiFactorPushPage(form: form, problem: problem, resend: form)),
            ("multi-factor-code", MultiFactorCodePage(form: form, usePhone: page, account: account)),
            ("multi-factor-code-problem", MultiFactorCodePage(form: form, codeProblem: problem, problem: problem)),
            ("no-factor", NoFactorPage(form: form, client: outside, account: account)),
            (
                "enroll-device",
                EnrollDevicePage(
                    .login(account), form: form, approver: .init(Self.approver, modules: modules),
                    otherApp: .init("otpauth://totp/a?b=c", modules: modules), ticket: Self.ticket)
            ),
            (
                "enroll-device-link",
                EnrollDevicePage(
                    .link(account: outside, tenant: outside), form: form,
                    approver: .init(Self.approver, modules: modules),
                    otherApp: .init("otpauth://totp/a?b=c", modules: modules), ticket: Self.ticket)
            ),
            (
                "enroll-device-app",
                EnrollDevicePage(
                    .link(account: outside, tenant: outside), form: form,
                    approver: .init(Self.approver, modules: modules),
                    otherApp: .init("otpauth://totp/a?b=c", modules: modules), ticket: Self.ticket,
                    app: .init(
                        name: outside, icon: PageURL(Self.logo), apple: PageURL(Self.store).map { ($0, outside) },
                        google: PageURL(Self.store).map { ($0, outside) }), isWaiting: false)
            ),
            ("phone-added", PhoneAddedPage(phone: outside)),
            (
                "enroll-device-problem",
                EnrollDevicePage(
                    .login(nil), form: form, approver: .init(outside, modules: []),
                    otherApp: .init(outside, modules: []), ticket: Self.ticket, app: .init(name: outside),
                    problem: problem)
            ),
            ("logout-confirm", LogoutConfirmPage(form: form, user: outside)),
            ("logged-out", Self.loggedOut),
            ("welcome", WelcomePage(name: outside, metadata: page, approver: page, account: page)),
            ("absent", AbsentPage(links: [(localized.account.absent.start, page)])),
            (
                "account",
                AccountPage(
                    localized.account.title, [.person(outside), .links([(localized.account.phones.title, page)])],
                    back: nil)
            ),
            (
                "account-items",
                AccountPage(
                    localized.account.phones.title, lead: .theirs(outside),
                    [
                        .items([
                            AccountPage.Item(
                                .theirs(outside), [.ours(localized.account.phones.silent), .theirs(outside)],
                                [
                                    .form(
                                        form, [], [AccountPage.Button(.theirs(outside), name: "a", value: outside)],
                                        account: nil)
                                ])
                        ]), .link(localized.account.phones.add, page, isPrimary: true),
                    ], back: page)
            ),
            (
                "account-form",
                AccountPage(
                    localized.account.password.title,
                    [
                        .heading(localized.account.preferences.language), .text(.theirs(outside)),
                        .form(
                            form,
                            [
                                .init(
                                    "old", localized.account.password.old, .oldPassword, FieldInput(problem: problem)),
                                .init(
                                    FieldName.password, localized.password.new, .newPassword,
                                    FieldInput(problem: problem), hint: rule),
                                .init("from", localized.account.preferences.from, .time, FieldInput("22:00")),
                                .init("phone", localized.account.phones.name, .text, FieldInput(outside)),
                                .init(FieldName.code, localized.account.recovery.field, .recoveryCode),
                            ], [AccountPage.Button(.ours(localized.account.save))], account: outside),
                    ], back: page, problem: problem)
            ),
            ("account-codes", AccountPage(localized.account.recovery.shown, [.codes(["ABCD-EFGH"])], back: nil)),
            (
                "account-receipt",
                AccountPage(
                    localized.account.history.receiptTitle,
                    [
                        .request(
                            RequestRecordShown(
                                message: outside, scopes: [.init(outside)], details: [["type": .string(outside)]],
                                presentation: []))
                    ], back: page)
            ),
            (
                "error",
                ErrorPage(
                    status: 403, title: problem, explanation: problem, advice: problem, code: outside,
                    requestID: outside, retry: page)
            ),
            ("select-account", SelectAccountPage(form: form, client: outside, name: outside, email: outside)),
            (
                "form-post",
                try #require(
                    FormPostPage(
                        action: redirect, fields: [HiddenField("code", outside), HiddenField(outside, "x")],
                        assets: Self.assets))
            ),
            (
                "web-message",
                WebMessagePage(
                    target: try #require(WebOrigin(registering: "https://client.example")),
                    parameters: FormFields([("code", outside), ("state", outside)]), assets: Self.assets)
            ),
            ("app-callback", AppCallbackPage()),
        ]
    }
}

extension Samples {
    /// Every page in every language, parsed.
    func documents() throws -> [(name: String, page: any Page, root: Markup.Element)] {
        try Language.allCases.flatMap { try documents(in: $0) }
    }

    /// Every page in one language, parsed.
    func documents(in language: Language) throws -> [(name: String, page: any Page, root: Markup.Element)] {
        var frame = frame
        frame.language = language
        return try pages().map { name, page in
            do {
                return ("\(name).\(language.rawValue)", page, try Markup.read(page.html(in: frame)))
            } catch let error as Markup.Malformed {
                Issue.record("\(name): \(error.reason)")
                throw error
            }
        }
    }
}
