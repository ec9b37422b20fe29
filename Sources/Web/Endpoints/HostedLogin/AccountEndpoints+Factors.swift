import AuthorizationCore
import Flows
import HTTPModel
import Localization
import OAuthWire
import Pages
import Primitives

/// Phones, recovery codes and the password.
extension AccountEndpoints {
    private static let id = "id"

    // MARK: phones

    @Sendable func phones(_ request: PageRequest) async throws -> Response {
        try await visited(request, .phones) { visitor in
            let texts = localized.account.phones
            let owned = try await account.phones(visitor)
            let items = owned.map { owned in
                AccountPage.Item(
                    .theirs(owned.device.name), facts(owned),
                    [link(request, owned.device.id.rawValue, texts.change)])
            }
            let apps = try await account.authenticators(visitor).map { item($0, request) }
            return show(
                request, texts.title, lead: owned.isEmpty ? texts.none : texts.lead,
                [
                    .items(items + apps), .link(texts.add, request.url(.addPhone), isPrimary: owned.isEmpty),
                ] + (owned.isEmpty ? [] : [.link(texts.lost, request.url(.lostPhones), isPrimary: false)]))
        }
    }

    /// Phones of one name are told apart by their time.
    private func facts(_ owned: OwnedDevice) -> [Words] {
        let texts = localized.account.phones
        return [.ours(texts.added(Self.date(owned.device.enrolledAt)))]
            + (owned.device.endedPush == nil ? [] : [.ours(texts.silent)])
    }

    private func link(_ request: PageRequest, _ id: String, _ words: LocalizedText) -> AccountPage.Block {
        .link(words, request.url(.phone, [(Self.id, id)]), isPrimary: false)
    }

    private func item(_ app: Authenticator, _ request: PageRequest) -> AccountPage.Item {
        AccountPage.Item(
            Self.name(app), facts(app),
            [link(request, app.id.rawValue, localized.account.phones.removeAuthenticator)])
    }

    private static func name(_ app: Authenticator) -> Words {
        app.name.map { .theirs($0) } ?? .ours(localized.account.phones.authenticator)
    }

    private func facts(_ app: Authenticator) -> [Words] {
        let texts = localized.account.phones
        return [.ours(texts.authenticatorLead), .ours(texts.added(Self.date(app.createdAt)))]
    }

    /// Renames a phone, and asks before it or an authenticator app is removed.
    @Sendable func phone(_ request: PageRequest) async throws -> Response {
        try await visited(request, .phone) { visitor in
            try await phonePage(request, visitor, request.parameters[Self.id] ?? "")
        }
    }

    private func phonePage(
        _ request: PageRequest, _ visitor: PageVisitor, _ id: String, typed: FieldInput? = nil
    ) async throws -> Response {
        let texts = localized.account.phones
        if let app = try await authenticator(id, visitor) {
            let remove = AccountPage.Block.form(
                form(request, .phone, visitor, item: id), [],
                [AccountPage.Button(.ours(texts.removeAuthenticator), name: Self.remove, value: "1")], account: nil)
            return show(
                request, texts.removeAuthenticator,
                [
                    .items([
                        AccountPage.Item(Self.name(app), facts(app) + [.ours(texts.removeAuthenticatorLead)], [remove])
                    ])
                ],
                back: .phones)
        }
        guard let owned = try await account.phones(visitor).first(where: { $0.device.id.rawValue == id }) else {
            return request.redirect(to: request.url(.phones).text)
        }
        let name = owned.device.name
        let form = form(request, .phone, visitor, item: id)
        return show(
            request, texts.change,
            [
                .form(
                    form, [AccountPage.Field(FieldName.name, texts.name, .text, typed ?? FieldInput(name))],
                    [AccountPage.Button(.ours(localized.account.save), isPrimary: false)], account: nil),
                .items([
                    AccountPage.Item(
                        .theirs(name), facts(owned) + [.ours(texts.removeLead)],
                        [
                            .form(
                                form, [],
                                [AccountPage.Button(.ours(texts.remove), name: Self.remove, value: "1")], account: nil)
                        ])
                ]),
            ], back: .phones)
    }

    private func authenticator(_ id: String, _ visitor: PageVisitor) async throws -> Authenticator? {
        try await account.authenticators(visitor).first { $0.id.rawValue == id }
    }

    private static let remove = "remove"

    @Sendable func sendPhone(_ request: PageRequest) async throws -> Response {
        let id = request.parameters[Self.item] ?? ""
        let removes = request.parameters[Self.remove] != nil
        return try await sent(request, .phone, forChange: removes, next: .phones) { visitor in
            guard !removes else {
                if let app = try await authenticator(id, visitor) {
                    try await changes.remove(app, by: visitor, request.context)
                } else {
                    try await changes.remove(DeviceID(id), by: visitor, request.context)
                }
                return nil
            }
            let name = request.parameters[FieldName.name] ?? ""
            do {
                try await changes.rename(DeviceID(id), to: name, by: visitor, request.context)
            } catch let failure as InteractionFailure {
                return try await phonePage(
                    request, visitor, id, typed: FieldInput(name, problem: failure.text(.name)))
            }
            return nil
        }
    }

    /// Begins at once, after a recent proof.
    @Sendable func addPhone(_ request: PageRequest) async throws -> Response {
        try await visited(request, .addPhone, forChange: true) { visitor in
            let texts = localized.account.phones
            return show(
                request, texts.add, lead: texts.addLead,
                [button(form(request, .addPhone, visitor), texts.add, isPrimary: true)], back: .phones)
        }
    }

    @Sendable func sendAddPhone(_ request: PageRequest) async throws -> Response {
        try await sent(request, .addPhone, forChange: true) { visitor in
            leadToEnroll(request, try await changes.addPhone(by: visitor, request.context))
        }
    }

    private func leadToEnroll(_ request: PageRequest, _ ticket: String) -> Response {
        request.redirect(to: request.url(.enrollByTicket, [("ticket", ticket)]).text)
    }

    /// The next page after a recovery code. The login that the code was for, if any, waits meanwhile.
    @Sendable func lostPhones(_ request: PageRequest) async throws -> Response {
        try await visited(request, .lostPhones, forChange: true) { visitor in
            let texts = localized.account.phones
            let owned = try await account.phones(visitor)
            let isOnly = owned.count == 1
            let items = owned.map { owned in
                AccountPage.Item(
                    .theirs(owned.device.name), facts(owned),
                    [
                        button(
                            form(request, .lostPhones, visitor, item: owned.device.id.rawValue), texts.replace,
                            isPrimary: isOnly)
                    ])
            }
            let apps = try await account.authenticators(visitor).map { item($0, request) }
            var blocks: [AccountPage.Block] = [.items(items + apps)]
            if owned.isEmpty { blocks.append(.link(texts.add, request.url(.addPhone), isPrimary: true)) }
            if !request.state.isEmpty {
                blocks.append(
                    .link(
                        localized.account.recovery.goOn, request.url(.logIn, state: request.state), isPrimary: false))
            }
            return show(
                request, texts.lostTitle,
                lead: owned.isEmpty ? (apps.isEmpty ? texts.nothingLost : nil) : texts.lostLead,
                blocks)
        }
    }

    @Sendable func sendLostPhone(_ request: PageRequest) async throws -> Response {
        let device = DeviceID(request.parameters[Self.item] ?? "")
        return try await sent(request, .lostPhones, forChange: true) { visitor in
            leadToEnroll(request, try await changes.addPhone(removing: [device], by: visitor, request.context))
        }
    }

    // MARK: recovery codes

    @Sendable func recoveryCodes(_ request: PageRequest) async throws -> Response {
        try await visited(request, .recoveryCodes) { visitor in
            let texts = localized.account.recovery
            let left = try await account.recoveryCodes(visitor)
            let (phones, apps) = (try await account.phones(visitor), try await account.authenticators(visitor))
            guard !phones.isEmpty || !apps.isEmpty else {
                return show(
                    request, texts.title, lead: texts.needsPhone,
                    [
                        .text(.ours(texts.left(left))),
                        .link(localized.account.phones.add, request.url(.addPhone), isPrimary: true),
                    ])
            }
            return show(
                request, texts.title, lead: texts.lead,
                [.text(.ours(texts.left(left)))] + (left > 0 ? [.text(.ours(texts.replaced))] : []) + [
                    button(
                        form(request, .recoveryCodes, visitor), left > 0 ? texts.makeAgain : texts.make,
                        isPrimary: left == 0)
                ])
        }
    }

    /// Answers with the codes, which are nowhere else.
    @Sendable func sendRecoveryCodes(_ request: PageRequest) async throws -> Response {
        try await sent(request, .recoveryCodes, forChange: true) { visitor in
            let codes = try await changes.makeRecoveryCodes(by: visitor, request.context)
            return Self.codesPage(request, codes, next: request.url(.recoveryCodes))
        }
    }

    static func codesPage(_ request: PageRequest, _ codes: [RecoveryCode], next: PageURL) -> Response {
        let texts = localized.account.recovery
        return request.show(
            AccountPage(
                texts.shown, lead: .ours(texts.shownLead),
                [.codes(codes.map(\.shown)), .link(texts.kept, next, isPrimary: true)], back: nil),
            isRepeatable: false)
    }

    // MARK: the password

    private static let old = "old_password"

    @Sendable func password(_ request: PageRequest) async throws -> Response {
        try await visited(request, .password) { visitor in try await passwordPage(request, visitor) }
    }

    private func passwordPage(
        _ request: PageRequest, _ visitor: PageVisitor, _ failure: InteractionFailure? = nil,
        differs: Bool = false
    ) async throws -> Response {
        let texts = localized.account.password
        guard try await changes.hasPassword(visitor, request.context) else {
            return show(request, texts.title, lead: texts.none, [])
        }
        let rule = PasswordPolicy(minimumLength: request.tenant.settings.passwordMinimumLength).rule
        return show(
            request, texts.title, lead: texts.lead,
            [
                .form(
                    form(request, .password, visitor),
                    [
                        AccountPage.Field(
                            Self.old, texts.old, .oldPassword, FieldInput(problem: failure?.text(.wrongCredentials))),
                        AccountPage.Field(
                            FieldName.password, localized.password.new, .newPassword,
                            FieldInput(problem: failure?.text(.password)), hint: rule),
                        AccountPage.Field(
                            FieldName.passwordAgain, localized.password.newAgain, .newPassword,
                            FieldInput(problem: differs ? localized.password.differs : nil)),
                    ], [AccountPage.Button(.ours(localized.password.change))], account: visitor.user.accountName)
            ], problem: failure?.text(but: .wrongCredentials, .password))
    }

    @Sendable func sendPassword(_ request: PageRequest) async throws -> Response {
        try await sent(request, .password, forChange: true, next: .start) { visitor in
            let password = request.parameters[FieldName.password] ?? ""
            guard password == request.parameters[FieldName.passwordAgain] ?? "" else {
                return try await passwordPage(request, visitor, differs: true)
            }
            do {
                try await changes.changePassword(
                    from: request.parameters[Self.old] ?? "", to: password, by: visitor, request.context)
                return nil
            } catch let failure as InteractionFailure {
                return try await passwordPage(request, visitor, failure).retrying(after: failure)
            }
        }
    }
}
