import AuthorizationCore
import Primitives
import X509

/// A document of a service in a file of `apply`: credentials at a push service or the choice among these services, the
/// e-mail provider, or an e-mail template.
struct ServiceEntry: Sendable {
    let kind: TenantDocument.Kind
    let id: String
    /// Without secrets.
    let document: JSONObject
    /// Secrets of the file. Empty keeps the stored ones.
    let secrets: JSONObject
    let path: String

    /// Member of `push`.
    static let selected = "selected"
    static let emailProviderID = "provider"
    static let credentials = EmailProvider.credentialsMember
    private static let secretLimit = 65_536

    /// Name of the kind of object in the output and the audit log.
    static func name(of kind: TenantDocument.Kind) -> String {
        switch kind {
        case .guardianSetting: ObjectKind.guardianFactor.rawValue
        case .resourceServer: "api"
        default: kind.rawValue
        }
    }

    /// True for documents that pruning removes if the file does not name them. Others of the kind are not the file's.
    static func isPrunable(_ document: TenantDocument) -> Bool {
        switch document.kind {
        case .guardianSetting: document.id == PushServices.selectionID
        // The file has settings and names of its own.
        case .tenantSettings, .customDomain: false
        default: true
        }
    }
}

// MARK: reading

extension ServiceEntry {
    typealias SecretReader = (ConfigurationFile.SecretSource) -> SecretBytes?

    /// The documents of a tenant in a file.
    static func all(of tenant: DocumentFields, _ secret: SecretReader) -> [ServiceEntry] {
        var entries: [ServiceEntry] = []
        if let push = tenant.object("push") {
            if let selection: PushServices.Selection = push.choice(selected) {
                entries.append(
                    ServiceEntry(
                        kind: .guardianSetting, id: PushServices.selectionID,
                        document: ["provider": .string(selection.rawValue)], secrets: [:], path: push.child(selected)))
            }
            for provider in PushProvider.settable {
                guard let fields = push.object(provider.rawValue) else { continue }
                entries.append(ServiceEntry(provider, fields, secret))
            }
            push.finish()
        }
        if let fields = tenant.object("email_provider"), let entry = ServiceEntry(emailProvider: fields, secret) {
            entries.append(entry)
        }
        if let templates = tenant.object("email_templates") {
            for kind in MailTemplate.Kind.allCases {
                guard let fields = templates.object(kind.rawValue) else { continue }
                entries.append(ServiceEntry(kind, fields, secret))
            }
            templates.finish()
        }
        return entries
    }

    private init(_ provider: PushProvider, _ fields: DocumentFields, _ secret: SecretReader) {
        let secrets = Self.secrets(provider.secrets.sorted(), of: fields, secret)
        var draft = ServiceDraft()
        if provider == .apns { draft.document["sandbox"] = false }
        ServiceFields.fields(of: provider).read(fields, into: &draft)
        fields.finish()
        self.init(
            kind: .pushProvider, id: provider.rawValue, document: draft.document, secrets: secrets, path: fields.path)
    }

    private init?(emailProvider fields: DocumentFields, _ secret: SecretReader) {
        var draft = ServiceDraft(document: ["enabled": true])
        ServiceFields.emailProvider.read(fields, into: &draft)
        // Missing credentials count as empty, so that each required one is reported.
        let given = DocumentFields(
            fields.value(Self.credentials) ?? [:], path: fields.child(Self.credentials), problems: fields.problems)
        fields.finish()
        guard let given, let provider = draft.document["name"]?.stringValue.flatMap(EmailProvider.init(rawValue:))
        else { return nil }
        let secrets = Self.secrets(provider.credentials.filter(\.isSecret).map(\.name), of: given, secret)
        var shown = JSONObject()
        for credential in provider.credentials where !credential.isSecret {
            shown[credential.name] = given.value(credential.name)
        }
        given.finish()
        draft.document[Self.credentials] = .object(shown)
        self.init(
            kind: .emailProvider, id: Self.emailProviderID, document: draft.document, secrets: secrets,
            path: fields.path)
    }

    private init(_ template: MailTemplate.Kind, _ fields: DocumentFields, _ secret: SecretReader) {
        var draft = ServiceDraft(
            document: [
                "template": .string(template.rawValue), "syntax": .string(MailTemplate.Syntax.liquid.rawValue),
                "enabled": true,
            ])
        if fields.value(MailTemplate.textMember) == nil, fields.value("subject") == nil {
            fields.problem(MailTemplate.textMember, "is required")
        }
        for (name, text) in Self.secrets([MailTemplate.textMember], of: fields, secret) { draft.document[name] = text }
        ServiceFields.emailTemplate.read(fields, into: &draft)
        fields.finish()
        self.init(
            kind: .emailTemplate, id: template.rawValue, document: draft.document, secrets: [:], path: fields.path)
    }

    /// The members of those names, which are texts, or in an environment variable or a file.
    private static func secrets(_ names: [String], of fields: DocumentFields, _ secret: SecretReader) -> JSONObject {
        var secrets = JSONObject()
        for name in names {
            guard let bytes = ConfigurationFile.readSecret(name, of: fields, secret)?.bytes else { continue }
            let text = PKCS12File.text(bytes)
            guard PKCS12File.isOne(bytes) || String(validating: bytes, as: UTF8.self) != nil,
                (1...secretLimit).contains(text.utf8.count)
            else {
                fields.problem(name, "must be a text of 1 to \(secretLimit) bytes")
                continue
            }
            secrets[name] = .string(text)
        }
        return secrets
    }
}

// MARK: settling

extension ServiceEntry {
    /// A document with its secrets.
    struct Whole: Equatable {
        var document: JSONObject
        var secrets: JSONObject
    }

    /// The document with its own secrets, or with the stored ones if it has none. Throws why it cannot be used.
    func settled(
        over old: Whole?, keys: any KeyFileReader, now: Timestamp
    ) throws(DocumentProblem) -> Whole {
        switch kind {
        case .pushProvider:
            // No secret of a push service is ever sent, so that the stored ones can be used with other settings.
            let whole = Whole(document: document, secrets: secrets.isEmpty ? old?.secrets ?? [:] : secrets)
            guard let provider = PushProvider(rawValue: id) else { return whole }
            let isUsable = try PushServices.check(
                provider, whole.document, whole.secrets, newSince: old?.secrets ?? [:], keys: keys, now: now)
            guard isUsable else { throw missing(provider, whole) }
            return whole
        case .emailProvider: return try settledMail(over: old)
        case .emailTemplate:
            if let kind = MailTemplate.Kind(rawValue: id) { _ = try MailTemplate(kind, document) }
            return Whole(document: document, secrets: [:])
        default: return Whole(document: document, secrets: [:])
        }
    }

    private func missing(_ provider: PushProvider, _ whole: Whole) -> DocumentProblem {
        if whole.secrets.isEmpty {
            let name = provider == .apns ? "p8" : provider.secrets.sorted().first ?? ""
            return DocumentProblem(path: name, message: "is required for new credentials")
        }
        return DocumentProblem(
            path: "sns_apns_platform_application_arn",
            message: "is required, or sns_gcm_platform_application_arn")
    }

    /// The stored secrets are used only for the same account: they are never sent elsewhere.
    private func settledMail(over old: Whole?) throws(DocumentProblem) -> Whole {
        let isSame =
            old?.document["name"] == document["name"] && old?.document[Self.credentials] == document[Self.credentials]
        if secrets.isEmpty, !isSame, old?.document["name"] == document["name"],
            let name = old?.secrets.members.first?.name
        {
            throw DocumentProblem(
                path: "\(Self.credentials).\(name)",
                message: "is required when other credentials change: the stored secret is never sent elsewhere")
        }
        var given = document[Self.credentials]?.objectValue ?? [:]
        for (name, secret) in secrets.isEmpty && isSame ? old?.secrets ?? [:] : secrets { given[name] = secret }
        var whole = document
        whole[Self.credentials] = .object(given)
        let (shown, secret) = try EmailProvider.separated(whole)
        return Whole(document: shown, secrets: secret)
    }
}
