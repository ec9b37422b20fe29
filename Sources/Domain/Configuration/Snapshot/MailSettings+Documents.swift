package import AuthorizationCore
package import Primitives

extension MailSettings {
    /// Reads a tenant's documents. `problem` receives those that cannot be used, which count as absent.
    package init(_ documents: [OpenedDocument], problem: (String) -> Void) {
        self.init()
        for opened in documents {
            switch opened.kind {
            case .emailProvider: read(provider: opened, problem)
            case .emailTemplate: read(template: opened, problem)
            case .tenantSettings: supportEmail = opened.document["support_email"]?.stringValue
            case .customDomain:
                if let domain = opened.document["domain"]?.stringValue {
                    domainMetadata[domain] = opened.document["domain_metadata"]?.objectValue
                }
            default: break
            }
        }
    }

    private mutating func read(provider opened: OpenedDocument, _ problem: (String) -> Void) {
        let document = opened.document
        guard document["enabled"]?.boolValue ?? true, let name = document["name"]?.stringValue else { return }
        var credentials = document[EmailProvider.credentialsMember]?.objectValue ?? [:]
        for (name, value) in opened.secrets { credentials[name] = value }
        do throws(DocumentProblem) {
            relay = try EmailProvider(rawValue: name)?.relay(document, credentials)
            guard relay == nil else { return }
            unusedProvider = "the server does not speak the interface of \(name)"
        } catch {
            unusedProvider = "\(error.path) \(error.message)"
        }
        problem("the e-mail provider is not used, and mails go by the server's own: \(unusedProvider ?? "")")
    }

    private mutating func read(template opened: OpenedDocument, _ problem: (String) -> Void) {
        guard let kind = MailTemplate.Kind(rawValue: opened.id) else { return }
        do throws(DocumentProblem) {
            let template = try MailTemplate(kind, opened.document)
            if template.isEnabled, kind.isSent { templates[kind] = template }
        } catch {
            problem("the e-mail template \(opened.id) is not used: \(error.path) \(error.message)")
        }
    }
}

extension EmailProvider {
    private static let textLimit = 16_384

    /// Separates the secrets among a document's credentials. Throws the problem of a document that cannot be used:
    /// credentials that the provider does not have, or lacks.
    package static func separated(
        _ document: JSONObject
    ) throws(DocumentProblem) -> (document: JSONObject, secrets: JSONObject) {
        guard let provider = document["name"]?.stringValue.flatMap(EmailProvider.init(rawValue:)) else {
            let names = EmailProvider.allCases.map(\.rawValue).joined(separator: ", ")
            throw DocumentProblem(path: "name", message: "must be one of \(names)")
        }
        let member = credentialsMember
        guard document[member].map({ $0.objectValue != nil }) ?? true else {
            throw DocumentProblem(path: member, message: "must be an object")
        }
        let given = document[member]?.objectValue ?? [:]
        for credential in provider.credentials where credential.isRequired && given[credential.name] == nil {
            throw DocumentProblem(
                path: "\(member).\(credential.name)", message: "is required for \(provider.rawValue)")
        }
        for (name, value) in given {
            guard provider.credentials.contains(where: { $0.name == name }) else {
                throw DocumentProblem(path: "\(member).\(name)", message: "is no credential of \(provider.rawValue)")
            }
            if name == "smtp_port" {
                guard let port = value.intValue, (1...65_535).contains(port) else {
                    throw DocumentProblem(
                        path: "\(member).\(name)", message: "must be a whole number from 1 to 65535")
                }
            } else if (value.stringValue?.utf8.count).map({ (1...textLimit).contains($0) }) != true {
                throw DocumentProblem(
                    path: "\(member).\(name)", message: "must be a text of 1 to \(textLimit) bytes")
            }
        }
        do throws(DocumentProblem) {
            _ = try provider.relay(document, given)
        } catch  where error.path != MailSettings.senderMember || document[error.path] != nil {
            throw error
        } catch {}
        var shown = document
        if shown["enabled"] == nil { shown["enabled"] = true }
        var (open, secrets) = (JSONObject(), JSONObject())
        for (name, value) in given {
            if provider.credentials.contains(where: { $0.name == name && $0.isSecret }) {
                secrets[name] = value
            } else {
                open[name] = value
            }
        }
        shown[member] = .object(open)
        return (shown, secrets)
    }
}
