import ApprovalWire
package import AuthorizationCore
package import Localization
package import Primitives

/// A tenant's mail with sample values.
package struct MailPreview: Sendable {
    private let tenant: Tenant
    private let mail: MailSettings

    package init(tenant: Tenant, mail: MailSettings) {
        self.tenant = tenant
        self.mail = mail
    }

    package func finished(_ kind: MailTemplate.Kind, now: Timestamp) -> (finished: FinishedMail, problem: String?) {
        let configuration = TenantConfiguration(
            tenant: tenant, clients: [], resourceServers: [], roles: [], keys: KeyRing(current: [], published: []),
            mail: mail)
        return MailRenderer(configuration: configuration, now: now).finished(sample(kind, now: now), id: "preview")
    }

    /// The server's own text that asks for a decision on a request with this detail.
    package func approval(
        _ detail: JSONObject, of api: ResourceServer, in language: Language, now: Timestamp
    ) -> String {
        var (user, email) = Self.person(now)
        user.language = language
        var display = RequestRecord.Display()
        display.add([detail], registeredBy: api)
        let audience = RequestRecord.Party(id: api.identifier, name: api.name)
        let record = record(of: user, for: audience, [], [detail], display, now)
        return MailComposer.approval(request(record), to: email, user, tenant: tenant, now: now).text
    }

    private static func person(_ now: Timestamp) -> (user: User, email: EmailAddress) {
        var user = User(id: UserID("auth0|sample"), createdAt: now)
        guard let email = EmailAddress(parsing: "ann@example.com") else { preconditionFailure("a constant") }
        (user.email, user.emailVerified) = (email, true)
        user.name = "Ann Example"
        user.givenName = "Ann"
        return (user, email)
    }

    private func record(
        of user: User, for api: RequestRecord.Party, _ scope: [RequestRecord.Scope], _ details: [JSONObject],
        _ display: RequestRecord.Display, _ now: Timestamp
    ) -> RequestRecord {
        RequestRecord(
            id: "cns_sample", issuer: tenant.issuer, tenant: tenant.id.rawValue,
            client: RequestRecord.Party(id: "sample", name: "Sample application"), user: user.id.rawValue,
            audience: api, scope: scope, bindingMessage: "Pay 12.50 to Bob", authorizationDetails: details,
            display: display, createdAt: now, expiresAt: now + .seconds(300), salt: "")
    }

    private func request(_ record: RequestRecord) -> BackchannelRequest {
        BackchannelRequest(
            record: record, digest: RequestDigest(Digest256([UInt8](repeating: 0, count: Digest256.size))),
            channel: .email, interval: 5)
    }

    private func sample(_ kind: MailTemplate.Kind, now: Timestamp) -> OutgoingMail {
        let (user, email) = Self.person(now)
        let composer = MailComposer(sealer: NoSealer())
        func ticket(_ kind: MailComposer.Kind) -> OutgoingMail {
            composer.mail(
                kind, to: email, user, isNamedByOperator: true, link: "\(tenant.issuer)u/sample", lifetime: 432_000,
                language: nil,
                tenant: tenant)
        }
        switch kind {
        case .asynchronousApproval:
            let record = record(
                of: user, for: RequestRecord.Party(id: "https://api.example.com/", name: "Sample API"),
                [RequestRecord.Scope(value: "pay:send", description: "Send payments")], [], RequestRecord.Display(), now
            )
            return MailComposer.approval(request(record), to: email, user, tenant: tenant, now: now)
        case .blockedAccount:
            return composer.blocked(
                \.passwordBlocked, to: email, user, address: "192.0.2.1", forAll: false, client: nil, tenant: tenant)
        case .enrollment:
            return ticket(.phoneToEnroll)
        case .resetEmail, .changePassword, .passwordReset:
            var mail = ticket(.newPassword)
            mail.kinds = [kind]
            return mail
        default:
            var mail = ticket(.addressToConfirm)
            mail.kinds = [kind]
            return mail
        }
    }

    /// A preview is not stored.
    private struct NoSealer: Sealer {
        private struct Unused: Error {}

        func seal(_ plaintext: [UInt8], context: String) throws -> [UInt8] { throw Unused() }
        func open(_ sealed: [UInt8], context: String) throws -> SecretBytes { throw Unused() }
    }
}
