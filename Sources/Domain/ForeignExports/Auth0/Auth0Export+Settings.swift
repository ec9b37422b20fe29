import AuthorizationCore
import Configuration
import Primitives

extension Auth0Export {
    // MARK: the tenant

    func tenant(_ configuration: inout ForeignConfiguration) throws {
        for object in contents.domains { try domain(object, &configuration) }
        try branding(&configuration)
        guard let object = contents.tenant else { return }
        configuration.name = try object.text("friendly_name")
        if let url = try object.text("picture_url"), configuration.settings.document["branding"]?["logo_url"] == nil {
            configuration.set("branding", "logo_url", to: .string(url))
        }
        for member in ["support_url", "default_redirection_uri", "default_audience"] {
            if let text = try object.text(member), !text.isEmpty { configuration.set(member, to: .string(text)) }
        }
        if let urls = try object.texts("allowed_logout_urls") {
            configuration.set("allowed_logout_urls", to: JSONValue(urls))
        }
        try lifetime("session_lifetime", of: object, as: "session_lifetime", &configuration)
        try lifetime("idle_session_lifetime", of: object, as: "session_idle_lifetime", &configuration)
        object.absent("support_email", "give a support_url, which the pages link to")
        object.absent("enabled_locales", "pages and mails are in English, German and French, as the browser asks")
        object.absent("sandbox_version", "no code runs here")
        for page in ["change_password", "guardian_mfa_page", "error_page"] {
            object.absent(page, "pages are the server's own, with the tenant's colour and logo")
        }
        try object.object("flags")?.finish("the switch does not exist here")
        _ = try object.text("default_directory")
        object.finish()
        object.account.came(as: "settings of the tenant")
    }

    /// Auth0 has hours, and newer exports minutes beside them, which are more exact.
    private func lifetime(
        _ member: String, of object: ForeignObject, as setting: String, _ configuration: inout ForeignConfiguration
    ) throws {
        let hours = object.value(member)?.doubleValue.map { Int($0.clamped(0...10_000) * 3600) }
        let minutes = try object.number("\(member)_in_minutes").map { $0.clamped(0...600_000) * 60 }
        guard let seconds = minutes ?? hours else { return }
        configuration.set(setting, to: seconds.clamped(60...31_557_600))
    }

    private func branding(_ configuration: inout ForeignConfiguration) throws {
        guard let object = contents.branding else { return }
        if let url = try object.text("logo_url"), !url.isEmpty {
            configuration.set("branding", "logo_url", to: .string(url))
        }
        if let colors = try object.object("colors") {
            if let colour = try colors.text("primary") {
                configuration.set("branding", "primary_color", to: .string(colour))
            }
            colors.absent("page_background", "pages have one background, in light and dark")
            colors.finish()
        }
        object.absent("font", "pages have the system's font")
        object.absent("favicon_url", "pages have the server's icon")
        object.finish("pages have the tenant's colour and logo")
        object.account.came(as: "branding of the tenant")
    }

    private func domain(_ object: ForeignObject, _ configuration: inout ForeignConfiguration) throws {
        let domain = try object.required("domain")
        configuration.customDomains.append(domain)
        for member in ["type", "tls_policy", "verification"] {
            object.absent(member, "the server or its proxy has the certificate")
        }
        object.finish()
        object.account.differs(
            "domain", was: domain, here: domain,
            "point its DNS to this server on the day of the move; tokens then have the same issuer as before")
        object.account.came(as: "custom domain \(domain)")
    }

    // MARK: mail

    func mails(_ configuration: inout ForeignConfiguration) throws {
        if let object = contents.emailProvider { try provider(object, &configuration) }
        for object in contents.templates {
            let name = try object.required("template")
            guard let kind = MailTemplate.Kind(rawValue: name), kind.isSent else {
                object.account.stays("this server sends no such mail")
                continue
            }
            guard let document = try template(kind, object) else { continue }
            configuration.emailTemplates.append(
                (name, ForeignConfiguration.Part(document: document, subject: object.account.subject)))
            object.account.came(as: "e-mail template \(name)")
        }
    }

    private func template(_ kind: MailTemplate.Kind, _ object: ForeignObject) throws -> JSONObject? {
        let file = object.account.subject.file
        let beside = (try object.text("body") ?? "").split(separator: "/").last.map(String.init) ?? ""
        let place = file.split(separator: "/").dropLast().joined(separator: "/") + "/" + beside
        guard let body = texts[place] else {
            throw object.failure("body", "names \(place), which the export does not have; export again")
        }
        var document: JSONObject = ["body": .string(body)]
        for member in ["subject", "from", "syntax"] {
            document[member] = try object.text(member).flatMap { $0.isEmpty ? nil : .string($0) }
        }
        document["enabled"] = try object.flag("enabled").map(JSONValue.bool)
        for member in ["resultUrl", "urlLifetimeInSeconds", "includeEmailInRedirect"] {
            object.absent(member, "a link's lifetime and destination are the server's")
        }
        object.finish()
        guard !body.isEmpty, document["subject"] != nil else {
            object.account.stays("it has no text or no subject, so the built-in mail is sent")
            return nil
        }
        do {
            _ = try MailTemplate(kind, document)
        } catch {
            object.account.stays(
                "its \(error.path) \(error.message); write it anew with countersign mail template set \(kind.rawValue)")
            return nil
        }
        return document
    }

    private func provider(_ object: ForeignObject, _ configuration: inout ForeignConfiguration) throws {
        let name = try object.required("name")
        guard let provider = EmailProvider(rawValue: name) else {
            return object.account.stays("the service is unknown; set another with countersign mail provider set")
        }
        var document: JSONObject = ["name": .string(name)]
        document["enabled"] = try object.flag("enabled").map(JSONValue.bool)
        document["default_from_address"] = try object.text("default_from_address").map(JSONValue.string)
        var credentials: JSONObject = [:]
        let given = try object.object("credentials")
        for credential in provider.credentials {
            if credential.name == "smtp_port" {
                // A mark stands for the number.
                credentials["smtp_port"] = given?.value("smtp_port").flatMap { value in
                    (value.intValue ?? value.stringValue.flatMap(Int.init)).map { .number(JSONNumber($0)) }
                }
            } else {
                credentials[credential.name] = try given?.secret(credential.name).map(JSONValue.string)
            }
        }
        given?.finish()
        object.absent("settings", "they have no effect")
        object.finish()
        // A member with a mark in place of its value is needed, even if the service has it as optional.
        let named = given?.names ?? []
        let missing = provider.credentials.filter {
            ($0.isRequired || named.contains($0.name)) && credentials[$0.name] == nil
        }.map(\.name)
        guard missing.isEmpty else {
            return object.account.stays(
                "the export has no \(missing.joined(separator: ", ")): countersign mail provider set takes them, or "
                    + "import with --keywords")
        }
        document["credentials"] = .object(credentials)
        configuration.emailProvider = ForeignConfiguration.Part(document: document, subject: object.account.subject)
        object.account.came(as: "e-mail provider \(name)")
    }

    // MARK: factors

    func factors(_ configuration: inout ForeignConfiguration) throws {
        if let object = contents.policies {
            let policies = try object.texts("policies") ?? []
            let here = policies.contains("all-applications") ? "always" : policies.isEmpty ? "never" : "when-enrolled"
            configuration.set("multi_factor", to: .string(here))
            for policy in policies where policy != "all-applications" {
                object.differs(
                    "policies", was: policy, here: here, "no risk is measured; people with a phone confirm each login")
            }
            object.finish()
            object.account.came(as: "setting multi_factor \(here)")
        }
        for object in contents.factors { try factor(object) }
        if let object = contents.bruteForce { try bruteForce(object, &configuration) }
    }

    private func factor(_ object: ForeignObject) throws {
        let name = try object.required("name")
        let isOn = try object.flag("enabled") ?? false
        object.finish()
        guard isOn else { return object.account.stays("the factor was off", isIdle: true) }
        switch name {
        case "push-notification":
            object.account.differs(
                "enabled", was: "on", here: "phones",
                "phones' keys stay at Auth0: countersign device invite mails people a link to enrol again")
            object.account.came(as: "phones that approve")
        case "otp":
            object.account.differs(
                "enabled", was: "on", here: "phones",
                "secrets of codes are in no users' export: Auth0's support alone gives them; others enrol a phone")
            object.account.came(as: "one-time passwords")
        case "webauthn-roaming", "webauthn-platform":
            object.account.differs(
                "enabled", was: "on", here: "passkeys", "passkeys are bound to the old host: people make new ones")
            object.account.came(as: "passkeys")
        case "recovery-code":
            object.account.differs(
                "enabled", was: "on", here: "recovery codes", "people make new codes on their account's pages")
            object.account.came(as: "recovery codes")
        default: object.account.stays("the factor does not exist here; people enrol a phone or a passkey")
        }
    }

    private func bruteForce(_ object: ForeignObject, _ configuration: inout ForeignConfiguration) throws {
        if try object.flag("enabled") == false {
            object.differs("enabled", was: "off", here: "on", "wrong passwords are always limited")
        }
        let mode = try object.text("mode") ?? "count_per_identifier_and_ip"
        if let attempts = try object.number("max_attempts") {
            let isPerAccount = mode == "count_per_identifier"
            let setting = isPerAccount ? "attempts_per_account" : "attempts_per_address"
            configuration.set("brute_force_protection", setting, to: attempts.clamped(1...1000))
        }
        object.absent("shields", "attempts are refused, and the person gets a mail")
        object.absent("allowlist", "no address is exempt")
        object.finish()
        object.account.came(as: "setting brute_force_protection")
    }
}

extension Double {
    fileprivate func clamped(_ range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
