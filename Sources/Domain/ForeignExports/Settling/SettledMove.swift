import AuthorizationCore
import Configuration
package import Primitives

/// An export that fits its tenant: a file of `apply` without problems, and the final report.
package struct SettledMove: Sendable {
    /// The file. It holds the export's secrets.
    package let file: [UInt8]
    /// Documents of a users import.
    package let users: [JSONObject]
    package let report: MoveReport
    /// Mail server by which the tenant writes to people. Nil if it has none of its own.
    package let mailServer: String?

    /// Rounds in which parts that are refused are left out. Each makes the file smaller.
    private static let roundLimit = 100

    /// Lays the export over the tenant. All that is stored stays, and is merged with objects of the same ids. Parts that the
    /// tenant cannot have are left out, with a line in the report. `secret` makes secrets for clients that came without.
    /// Without mail, the export's mail server stays there.
    package init(
        _ configuration: ForeignConfiguration, into target: MoveTarget, withMail: Bool = true, now: Timestamp,
        secret: () -> String
    ) throws {
        var draft = MoveDraft(configuration, target)
        draft.addClients(configuration.clients, secret)
        draft.addConnections(configuration.connections, configuration.secretAdvice)
        draft.addMails(configuration, withMail: withMail)
        for _ in 0..<Self.roundLimit {
            draft.dropUnknownReferences()
            let file = JSONWriter.bytes(["tenants": [.object(draft.entry)]])
            do throws(ConfigurationFile.Failure) {
                _ = try ConfigurationFile(parsing: file, now: now) { source in
                    if case .text(let text) = source { SecretBytes(utf8: text) } else { nil }
                }
            } catch {
                try draft.drop(error.lines)
                continue
            }
            draft.withdrawLostGrants(configuration.grants)
            self.file = file
            users = configuration.users
            mailServer = draft.mailServer
            report = configuration.report
            return
        }
        throw ForeignFailure(
            file: "the export", path: "", "has too much that this server refuses; see the report of --dry-run")
    }
}

/// A tenant's entry in the making.
struct MoveDraft {
    var entry: JSONObject
    let target: MoveTarget
    let ledger: MoveLedger
    /// Objects of the export by list and id.
    var origins: [String: [String: MoveReport.Subject]] = [:]
    private let settings: MoveReport.Subject

    /// Lists of the entry, with the member that is the id of their objects.
    static let keys = ["apis": "identifier", "roles": "id", "clients": "client_id", "connections": "name"]

    init(_ configuration: ForeignConfiguration, _ target: MoveTarget) {
        self.target = target
        ledger = configuration.ledger
        settings = configuration.settings.subject
        if let stored = target.stored {
            entry = stored.fileEntry
            if let name = configuration.name, name != stored.tenant.name {
                ledger.differs(
                    settings, "name", was: name, here: stored.tenant.name,
                    "the tenant keeps its name; countersign tenant update changes it")
            }
        } else {
            entry = [
                "id": .string(target.id), "name": .string(configuration.name ?? target.id),
                "host": .string(target.host),
            ]
        }
        let hosts = entry["custom_domains"]?.stringsValue ?? []
        let new = configuration.customDomains.filter { !hosts.contains($0) && $0 != target.host }
        if !new.isEmpty { entry["custom_domains"] = JSONValue(hosts + new) }
        var merged = entry["settings"]?.objectValue ?? [:]
        for (name, value) in configuration.settings.document {
            var value = value
            if let inner = value.objectValue, var before = merged[name]?.objectValue {
                for (member, new) in inner { before[member] = new }
                value = .object(before)
            }
            merged[name] = value
        }
        if !merged.isEmpty { entry["settings"] = .object(merged) }
        put("apis", configuration.apis)
        put("roles", configuration.roles)
    }

    /// Adds objects, merged with those of the same id.
    mutating func put(_ list: String, _ parts: [ForeignConfiguration.Part]) {
        guard let key = Self.keys[list], !parts.isEmpty else { return }
        var objects = entry[list]?.arrayValue ?? []
        for part in parts {
            let id = part.text(key)
            origins[list, default: [:]][id] = part.subject
            if let index = objects.firstIndex(where: { $0[key]?.stringValue == id }) {
                objects[index] = objects[index].merged(with: .object(part.document))
            } else {
                objects.append(.object(part.document))
            }
        }
        entry[list] = .array(objects)
    }

    // MARK: secrets

    mutating func addClients(_ parts: [ForeignConfiguration.Part], _ secret: () -> String) {
        var parts = parts
        let stored = target.stored?.clients ?? []
        let known = Set(stored.filter { !$0.secretHashes.isEmpty }.map(\.id.rawValue))
        for index in parts.indices {
            if let own = stored.first(where: { $0.id.rawValue == parts[index].text("client_id") }) {
                keepAuthentication(of: own, &parts[index])
            }
            let document = parts[index].document
            let method = document["token_endpoint_auth_method"]?.stringValue ?? "client_secret_post"
            let given = document["client_secret"]?.stringValue
            let isShort = (given?.utf8.count ?? 0) < ConfigurationFile.secretMinimum
            let id = parts[index].text("client_id")
            let isNew = !stored.contains { $0.id.rawValue == id && !$0.usesSecret }
            guard method.hasPrefix("client_secret_"), isShort, isNew else { continue }
            parts[index].document["client_secret"] = known.contains(id) ? nil : .string(secret())
            ledger.differs(
                parts[index].subject, "client_secret",
                was: given.map { "\($0.utf8.count) bytes, and \(ConfigurationFile.secretMinimum) are needed" }
                    ?? "not in the export",
                here: known.contains(id) ? "the one that it has here" : "random, shown to nobody",
                known.contains(id)
                    ? "the application uses the secret of this server"
                    : "countersign client rotate-secret \(id) prints one for the application")
        }
        put("clients", parts)
    }

    /// A client that is here may have got a key since, as the report advised. It keeps its way to authenticate, and is not
    /// opened to more APIs. Only a secret of the export takes the place of a secret.
    private func keepAuthentication(of own: Client, _ part: inout ForeignConfiguration.Part) {
        let method = part.document["token_endpoint_auth_method"]?.stringValue ?? ""
        if method != own.authenticationMethod.rawValue, own.usesSecret != method.hasPrefix("client_secret_") {
            ledger.differs(
                part.subject, "token_endpoint_auth_method", was: method, here: own.authenticationMethod.rawValue,
                "the client keeps what it has here")
        }
        for member in ["token_endpoint_auth_method", "client_authentication_methods", "jwks_uri"] {
            part.document[member] = JSONValue?.none
        }
        if !own.usesSecret { part.document["client_secret"] = JSONValue?.none }
        if own.isLimitedToGrants || !own.grants.isEmpty { part.document["limited_to_grants"] = JSONValue?.none }
    }

    /// A provider's secret is needed from the first day, so a connection without it is left out.
    mutating func addConnections(_ parts: [ForeignConfiguration.Part], _ secretAdvice: String) {
        let stored = target.stored?.connections ?? []
        var kept: [ForeignConfiguration.Part] = []
        for var part in parts {
            if part.text("strategy") == "auth0" {
                if let own = stored.first(where: \.isDatabase), own.name != part.text("name") {
                    ledger.differs(
                        part.subject, "name", was: part.text("name"), here: own.name, "a tenant has one database")
                    part.document["name"] = .string(own.name)
                }
            } else if part.document["options"]?["client_secret"] == nil {
                let problems = Problems()
                let read = DocumentFields(.object(part.document), path: "", problems: problems).flatMap {
                    LoginConnection($0, sealedSecret: [])
                }
                if read?.missingSecret(over: stored.first { $0.name == part.text("name") }) != nil {
                    ledger.withdraw(part.subject)
                    ledger.absent(
                        part.subject, "", "the export has no secret of the provider: \(secretAdvice)", isIdle: false)
                    continue
                }
            }
            kept.append(part)
        }
        // A tenant without connections has a database, which the first named connection would take away.
        if target.stored != nil, stored.isEmpty, !kept.isEmpty,
            !kept.contains(where: { $0.text("strategy") == "auth0" })
        {
            entry["connections"] = [
                ["name": .string(LoginConnection.defaultDatabaseName), "strategy": "auth0"]
            ]
        }
        put("connections", kept)
    }

    mutating func addMails(_ configuration: ForeignConfiguration, withMail: Bool) {
        if let part = configuration.emailProvider, !withMail {
            ledger.withdraw(part.subject)
            ledger.absent(
                part.subject, "", "--without-mail left it out: an import without that option brings it", isIdle: false)
        } else if let part = configuration.emailProvider {
            if let own = entry["email_provider"], own["name"] != nil {
                ledger.differs(
                    part.subject, "", was: part.text("name"), here: "the tenant's own mail server",
                    "countersign mail provider set changes it")
            } else {
                origins["email_provider"] = ["": part.subject]
                entry["email_provider"] = .object(part.document)
            }
        }
        var templates = entry["email_templates"]?.objectValue ?? [:]
        for (name, part) in configuration.emailTemplates {
            origins["email_templates", default: [:]][name] = part.subject
            templates[name] = .object(part.document)
        }
        if !templates.isEmpty { entry["email_templates"] = .object(templates) }
    }

    /// Name of the mail server that the tenant's entry turns on.
    var mailServer: String? {
        guard let provider = entry["email_provider"], provider["enabled"]?.boolValue ?? true else { return nil }
        return provider["credentials"]?["smtp_host"]?.stringValue ?? provider["name"]?.stringValue
    }

    /// Subject of the tenant's settings.
    var settingsSubject: MoveReport.Subject { settings }
}
