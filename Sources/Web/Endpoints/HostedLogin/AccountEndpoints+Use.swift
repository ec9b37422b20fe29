import ApprovalWire
import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import Localization
import OAuthWire
import Pages
import Primitives

/// Sessions, applications, decisions, preferences, the export and the end of the account.
extension AccountEndpoints {
    // MARK: sessions

    @Sendable func sessions(_ request: PageRequest) async throws -> Response {
        try await visited(request, .sessions) { visitor in
            let texts = localized.account.sessions
            let all = try await account.sessions(visitor, request.context)
            let items = all.map { own in
                let session = own.session
                let isThis = session.id == visitor.session.id
                let facts: [Words] =
                    (isThis ? [.ours(texts.this)] : []) + [
                        .ours(texts.lastUsed(Self.date(session.lastUsedAt))),
                        .ours(texts.begun(Self.date(session.createdAt))),
                    ] + (session.origin.address.map { [.ours(address($0))] } ?? [])
                let browser = BrowserSoftware(userAgent: session.origin.userAgent)
                return AccountPage.Item(
                    .ours(LocalizedText { LoginPresentation.screen(browser.browser, browser.system, in: $0) }), facts,
                    isThis ? [] : [button(form(request, .sessions, visitor, item: session.id.rawValue), texts.end)])
            }
            let others =
                all.count > 1 ? [button(form(request, .sessions, visitor), texts.endOthers, isPrimary: true)] : []
            return show(request, texts.title, lead: texts.lead, [.items(items)] + others)
        }
    }

    private func address(_ address: String) -> LocalizedText {
        let place = account.place(of: address)
        return LocalizedText { language in
            let known = [address, place?.name(in: language.rawValue)].compactMap(\.self).joined(separator: ", ")
            return language.texts.account.sessions.address(known)
        }
    }

    /// A form without an object ends all other sessions.
    @Sendable func sendSessions(_ request: PageRequest) async throws -> Response {
        try await sent(request, .sessions) { visitor in
            if let session = request.parameters[Self.item].map({ SessionID($0) }) {
                guard session != visitor.session.id else { return nil }
                try await changes.end(session, by: visitor, request.context)
            } else {
                try await changes.endOtherSessions(by: visitor, request.context)
            }
            return nil
        }
    }

    // MARK: applications

    @Sendable func applications(_ request: PageRequest) async throws -> Response {
        try await visited(request, .applications) { visitor in
            let texts = localized.account.applications
            let allowed = try await account.applications(visitor, request.context)
            let configuration = request.context.configuration
            let items = Dictionary(grouping: allowed, by: \.client).sorted { $0.key.rawValue < $1.key.rawValue }
                .map { client, grants in
                    let name = configuration.client(client)?.name ?? client.rawValue
                    let facts = grants.flatMap { grant -> [Words] in
                        let api = configuration.resourceServers[grant.audience]?.name ?? request.tenant.name
                        return [
                            .theirs(api), .ours(texts.since(Self.date(grant.since))),
                            .ours(texts.scope(grant.scope.description)),
                        ]
                    }
                    return AccountPage.Item(
                        .theirs(name), facts,
                        [button(form(request, .applications, visitor, item: client.rawValue), texts.withdraw)])
                }
            return show(request, texts.title, lead: items.isEmpty ? texts.none : texts.lead, [.items(items)])
        }
    }

    @Sendable func sendApplications(_ request: PageRequest) async throws -> Response {
        let client = ClientID(request.parameters[Self.item] ?? "")
        return try await sent(request, .applications) { visitor in
            try await changes.withdraw(client, by: visitor, request.context)
            return nil
        }
    }

    // MARK: decisions

    private static let (before, id, download) = ("before", "id", "download")

    @Sendable func history(_ request: PageRequest) async throws -> Response {
        try await visited(request, .history) { visitor in
            let texts = localized.account.history
            let page = try await account.decisions(
                visitor, before: request.parameters[Self.before].flatMap(DecisionHistory.number), request.context)
            let items = page.requests.map { element in
                let record = element.record
                var facts: [Words] = [.theirs(record.client.name), .ours(Self.words(element.outcome))]
                guard case .decided(let evidence) = element else {
                    return AccountPage.Item(.shown(record.question), facts, [])
                }
                facts.append(.ours(texts.decided(Self.date(evidence.decidedAt))))
                return AccountPage.Item(
                    .shown(record.question), facts,
                    [.link(texts.receipt, request.url(.receipt, [(Self.id, record.id)]), isPrimary: false)])
            }
            let older = page.next.map { next -> [AccountPage.Block] in
                [.link(texts.older, request.url(.history, [(Self.before, next)]), isPrimary: false)]
            }
            return show(
                request, texts.title, lead: items.isEmpty ? texts.none : texts.lead, [.items(items)] + (older ?? []))
        }
    }

    private static func words(_ outcome: DecidedRequests.Outcome) -> LocalizedText {
        switch outcome {
        case .allowed: ApprovalEndedPage.Ending.allowed.words
        case .rejected: ApprovalEndedPage.Ending.rejected.words
        case .reported: ApprovalEndedPage.Ending.reported.words
        case .wrongNumber: ApprovalEndedPage.Ending.wrongNumber.words
        case .withdrawn: ApprovalEndedPage.Ending.withdrawn.words
        case .expired: ApprovalEndedPage.Ending.expired.words
        }
    }

    /// The receipt in words, and the JWS itself as a file.
    @Sendable func receipt(_ request: PageRequest) async throws -> Response {
        try await visited(request, .receipt) { visitor in
            let texts = localized.account.history
            let id = request.parameters[Self.id] ?? ""
            guard let (token, evidence) = try await account.receipt(ConsentID(id), visitor, request.context) else {
                return request.redirect(to: request.url(.history).text)
            }
            if request.parameters[Self.download] != nil {
                return Self.file("receipt.jws", "application/jose", Array(token.utf8))
            }
            let record = evidence.record
            let who: Words = .ours(
                evidence.answer.map { texts.byPhone($0.device.name.showingUnseen) } ?? texts.byBrowser)
            var facts: [Words] = [
                .theirs(record.client.name), .ours(texts.requested(Self.date(record.createdAt))),
                .ours(texts.decided(Self.date(evidence.decidedAt))), who, .ours(Self.level(evidence.level)),
            ]
            if let reason = evidence.reason { facts.append(.ours(texts.words(reason.showingUnseen))) }
            let shown = RequestRecordShown(
                message: record.bindingMessage,
                scopes: record.scope.map { ShownScope($0.value, description: $0.description) },
                details: record.authorizationDetails, presentation: record.display.presentation)
            return show(
                request, texts.receiptTitle,
                [
                    .items([AccountPage.Item(.shown(record.question), [.ours(Self.words(evidence.outcome))] + facts)]),
                    .request(shown),
                    .text(.ours(texts.proof)),
                    .link(
                        texts.download, request.url(.receipt, [(Self.id, id), (Self.download, "1")]), isPrimary: false),
                ], back: .history)
        }
    }

    static func level(_ level: ApprovalEvidence.Level) -> LocalizedText {
        let texts = localized.account.history
        return switch level {
        case .userVerified: texts.userVerified
        case .signedDigest: texts.signedDigest
        case .signedChallenge: texts.signedChallenge
        case .session: texts.session
        }
    }

    /// A file to keep, which no browser shows as a page.
    private static func file(_ name: String, _ type: String, _ bytes: [UInt8]) -> Response {
        Response(
            status: 200,
            fields: [
                "Content-Type": type, "Content-Disposition": "attachment; filename=\"\(name)\"",
                "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
                "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
            ], body: .bytes(bytes))
    }

    // MARK: preferences

    private static let (language, auto, from, to, off) = ("language", "auto", "from", "to", "off")

    @Sendable func preferences(_ request: PageRequest) async throws -> Response {
        try await visited(request, .preferences) { visitor in try await preferencesPage(request, visitor) }
    }

    private func preferencesPage(
        _ request: PageRequest, _ visitor: PageVisitor, problem: LocalizedText? = nil
    ) async throws -> Response {
        let texts = localized.account.preferences
        let hours = try await account.preferences(visitor).quietHours
        let form = form(request, .preferences, visitor)
        let current = visitor.user.language
        func choice(_ words: Words, _ language: Language?) -> AccountPage.Button {
            AccountPage.Button(
                words, isPrimary: language == current, name: Self.language, value: language?.rawValue ?? Self.auto)
        }
        return show(
            request, texts.title,
            [
                .heading(texts.language), .text(.ours(texts.languageLead)),
                .form(
                    form, [],
                    Language.allCases.map { choice(.theirs($0.name), $0) } + [choice(.ours(texts.languageAuto), nil)],
                    account: nil),
                .heading(texts.quietHours), .text(.ours(texts.quietLead)),
                .form(
                    form,
                    [
                        AccountPage.Field(
                            Self.from, texts.from, .time,
                            FieldInput(QuietHours.text(hours?.from ?? 22 * 60), problem: problem)),
                        AccountPage.Field(
                            Self.to, texts.to, .time, FieldInput(QuietHours.text(hours?.to ?? 7 * 60))),
                    ],
                    [AccountPage.Button(.ours(localized.account.save))]
                        + (hours == nil
                            ? []
                            : [AccountPage.Button(.ours(texts.off), isPrimary: false, name: Self.off, value: "1")]),
                    account: nil),
            ])
    }

    @Sendable func sendPreferences(_ request: PageRequest) async throws -> Response {
        try await sent(request, .preferences) { visitor in
            if let language = request.parameters[Self.language] {
                try await changes.setLanguage(Language(rawValue: language), by: visitor, request.context)
            } else if request.parameters[Self.off] != nil {
                try await changes.setQuietHours(nil, by: visitor, request.context)
            } else {
                guard let from = QuietHours.minutes(request.parameters[Self.from] ?? ""),
                    let to = QuietHours.minutes(request.parameters[Self.to] ?? ""),
                    let hours = QuietHours(from: from, to: to)
                else {
                    return try await preferencesPage(
                        request, visitor, problem: localized.account.preferences.badHours)
                }
                try await changes.setQuietHours(hours, by: visitor, request.context)
            }
            return nil
        }
    }

    // MARK: the data

    @Sendable func export(_ request: PageRequest) async throws -> Response {
        try await visited(request, .export) { visitor in
            let texts = localized.account.export
            return show(
                request, texts.title, lead: texts.lead,
                [button(form(request, .export, visitor), texts.download, isPrimary: true)])
        }
    }

    /// Asks for a recent proof, because a stolen session must not carry everything away.
    @Sendable func sendExport(_ request: PageRequest) async throws -> Response {
        try await sent(request, .export, forChange: true) { visitor in
            let document = try await account.export(visitor, request.context)
            return Self.file("account.json", "application/json", JSONWriter.bytes(.object(document)))
        }
    }

    // MARK: the end

    @Sendable func deletion(_ request: PageRequest) async throws -> Response {
        try await visited(request, .deletion) { visitor in try await deletionPage(request, visitor) }
    }

    private func deletionPage(
        _ request: PageRequest, _ visitor: PageVisitor, _ failure: InteractionFailure? = nil
    ) async throws -> Response {
        let texts = localized.account.deletion
        guard request.tenant.settings.allowsAccountDeletion else {
            return request.redirect(to: request.url(.start).text)
        }
        if let end = try await account.decisionsKept(visitor, request.context) {
            return show(request, texts.title, [.text(.ours(texts.kept(Self.date(end))))])
        }
        let fields =
            try await changes.hasPassword(visitor, request.context)
            ? [
                AccountPage.Field(
                    FieldName.password, localized.form.password, .oldPassword,
                    FieldInput(problem: failure?.text(.wrongCredentials)))
            ] : []
        return show(
            request, texts.title, lead: texts.lead,
            [
                .form(
                    form(request, .deletion, visitor), fields, [AccountPage.Button(.ours(texts.submit))],
                    account: fields.isEmpty ? nil : visitor.user.accountName)
            ], problem: failure?.text(but: .wrongCredentials))
    }

    @Sendable func sendDeletion(_ request: PageRequest) async throws -> Response {
        try await sent(request, .deletion, forChange: true) { visitor in
            do {
                let requests = try await changes.delete(
                    password: request.parameters[FieldName.password] ?? "", by: visitor, request.context)
                for hash in requests { hosted.flows.hub.decided(AuthReqIDHash(stored: hash)) }
            } catch let failure as InteractionFailure {
                return try await deletionPage(request, visitor, failure).retrying(after: failure)
            } catch is ChangeAccount.Failure {
                return nil
            }
            let deleted: @Sendable (PageRequest) -> Response = { request in
                let texts = localized.account.deletion
                return request.show(DonePage(title: texts.done, explanation: texts.doneLead), isRepeatable: false)
            }
            request.remember(.done(deleted))
            var response = deleted(request)
            response.fields.append("Set-Cookie", Cookie.session.removal)
            return response
        }
    }
}

extension RequestRecord {
    /// The question in one line: the login, what counts most, or else the client's words.
    fileprivate var question: LocalizedText {
        LocalizedText { language in
            if let login = display.login { return LoginPresentation(login, in: language).headline }
            let lines = presentation(in: language.rawValue).headlines.map { $0.text(in: language) }
            return lines.isEmpty ? bindingMessage : lines.joined(separator: ", ")
        }
    }
}
