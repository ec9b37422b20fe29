package import AuthorizationCore
package import JOSE
import OAuthWire
package import Primitives

/// Algorithms that sign tokens here.
package let signingAlgorithms: [JWSAlgorithm] = [.rs256, .ps256, .es256, .edDSA]

extension DocumentFields {
    /// One of `signingAlgorithms`.
    package func signingAlgorithm(_ name: String) -> JWSAlgorithm? {
        guard let text = string(name) else { return nil }
        guard let algorithm = JWSAlgorithm(rawValue: text), signingAlgorithms.contains(algorithm) else {
            problem(name, "must be one of \(signingAlgorithms.map(\.rawValue).joined(separator: ", "))")
            return nil
        }
        return algorithm
    }
}

extension Client {
    /// Reads a client without its secret, and sets `secretHashes`.
    package init?(_ fields: DocumentFields, secretHashes: [[UInt8]]) {
        let id = fields.requiredString("client_id", limit: 128)
        let name = fields.requiredString("name")
        guard let id, let name else { return nil }
        self.init(id: ClientID(id), name: name, secretHashes: secretHashes)
        readAuthentication(fields)
        for (index, text) in (fields.strings("grant_types") ?? []).enumerated() {
            if let grant = GrantType(rawValue: text) {
                grantTypes.insert(grant)
            } else {
                let known = GrantType.allCases.map(\.rawValue).joined(separator: ", ")
                fields.problem("grant_types[\(index)]", "must be one of \(known)")
            }
        }
        isFirstParty = fields.bool("is_first_party", default: true)
        oidcConformant = fields.bool("oidc_conformant", default: true)
        allowsLongPush = fields.bool("allow_long_push", default: false)
        if let channels = fields.strings("async_approval_notification_channels") {
            let known = channels.enumerated().compactMap { index, text in
                let channel = NotificationChannel(rawValue: text)
                if channel == nil {
                    fields.problem(
                        "async_approval_notification_channels[\(index)]", "must be one of guardian-push, email")
                }
                return channel
            }
            // Ignores a list with unknown channels: its rest is meaningless.
            if known.count == channels.count { notificationChannels = known }
        }
        if let configuration = fields.object("jwt_configuration") {
            idTokenAlgorithm = configuration.signingAlgorithm("alg") ?? .rs256
            idTokenLifetime = configuration.integer("lifetime_in_seconds", 1...2_592_000, default: idTokenLifetime)
            configuration.finish()
        }
        grants = fields.objects("client_grants").compactMap { ClientGrant($0) }.sorted(by: ClientGrant.precedes)
        isLimitedToGrants = fields.bool("limited_to_grants", default: fields.value("client_grants") != nil)
        additional = fields.additional()
        readBrowserFields(fields)
    }

    /// Reads browser and refresh token fields.
    private mutating func readBrowserFields(_ fields: DocumentFields) {
        applicationType = fields.choice("app_type", of: ApplicationType.self)?.rawValue
        redirectURIs = fields.redirects("callbacks")
        allowedLogoutURLs = fields.redirects("allowed_logout_urls").map(\.description)
        webOrigins = fields.origins("web_origins") ?? takeStoredOrigins("web_origins")
        allowedOrigins = fields.origins("allowed_origins") ?? takeStoredOrigins("allowed_origins")
        mobile = fields.object("mobile").flatMap(MobileApps.init) ?? takeStoredMobile()
        refreshTokens = fields.object("refresh_token").map(RefreshTokenPolicy.init) ?? refreshTokens
        requiresPushedAuthorizationRequests = fields.bool("require_pushed_authorization_requests", default: false)
        requiresProofKey = fields.bool("require_proof_key", default: false)
        logoURL = fields.secureURL("logo_uri")
        initiateLoginURL = fields.secureURL("initiate_login_uri") ?? takeStoredURL("initiate_login_uri")
        if let logout = fields.object("oidc_logout") {
            let urls = logout.strings("backchannel_logout_urls", limit: 2048) ?? []
            if urls.count > 1 { logout.problem("backchannel_logout_urls", "may hold one URL") }
            if let url = urls.first {
                if EndpointURL(url) == nil {
                    logout.problem(
                        "backchannel_logout_urls[0]", "must be an https URL, or http on 127.0.0.1, [::1] or localhost")
                }
                backchannelLogoutURL = url
            }
            logout.finish()
        }
    }

    /// Earlier versions stored origins unread. A list that is invalid today is kept but has no effect.
    private mutating func takeStoredOrigins(_ name: String) -> [WebOrigin] {
        guard let texts = additional[name]?.stringsValue,
            case let origins = texts.compactMap(WebOrigin.init(registering:)), origins.count == texts.count
        else { return [] }
        additional[name] = nil
        return origins
    }

    /// Likewise for a URL: without `https` it is kept but has no effect.
    private mutating func takeStoredURL(_ name: String) -> String? {
        guard let text = additional[name]?.stringValue, text.hasPrefix("https://"), EndpointURL(text) != nil else {
            return nil
        }
        additional[name] = nil
        return text
    }

    /// Likewise for mobile apps.
    private mutating func takeStoredMobile() -> MobileApps? {
        let problems = Problems()
        guard let value = additional["mobile"], let fields = DocumentFields(value, path: "", problems: problems),
            let mobile = MobileApps(fields), problems.list.isEmpty
        else { return nil }
        additional["mobile"] = nil
        return mobile
    }

    private enum ApplicationType: String, CaseIterable {
        case native, spa
        case regularWeb = "regular_web"
        case nonInteractive = "non_interactive"
    }

    /// Checks fields against each other.
    package func check(path: String, hasSecret: Bool, _ problems: Problems) {
        checkAuthentication(path, hasSecret: hasSecret, problems)
        if notificationChannels == [.email] {
            let member = "async_approval_notification_channels"
            problems.add(
                path.isEmpty ? member : "\(path).\(member)",
                "must name guardian-push, too: this version does not ask for approvals by e-mail yet, so that no request "
                    + "would reach anybody")
        }
        if isPublic {
            for grant in [GrantType.ciba, .clientCredentials] where grantTypes.contains(grant) {
                problems.add(
                    path.isEmpty ? "grant_types" : "\(path).grant_types",
                    "\(grant.rawValue) needs a confidential client, and token_endpoint_auth_method is none")
            }
        }
    }

    /// The configuration without the secret.
    package var document: JSONObject {
        var document: JSONObject = [
            "client_id": .string(id.rawValue), "name": .string(name),
            "grant_types": JSONValue(grantTypes.map(\.rawValue).sorted()), "is_first_party": .bool(isFirstParty),
            "oidc_conformant": .bool(oidcConformant), "allow_long_push": .bool(allowsLongPush),
            "jwt_configuration": [
                "alg": .string(idTokenAlgorithm.rawValue), "lifetime_in_seconds": .number(JSONNumber(idTokenLifetime)),
            ],
        ]
        authenticationDocument(&document)
        if let notificationChannels {
            document["async_approval_notification_channels"] = JSONValue(notificationChannels.map(\.rawValue))
        }
        if isLimitedToGrants || !grants.isEmpty {
            document["client_grants"] = .array(grants.map { .object($0.document) })
            if !isLimitedToGrants { document["limited_to_grants"] = false }
        }
        document["app_type"] = applicationType.map(JSONValue.string)
        if !additional.isEmpty { document["additional"] = .object(additional) }
        if !redirectURIs.isEmpty { document["callbacks"] = JSONValue(redirectURIs.map(\.description)) }
        if !allowedLogoutURLs.isEmpty { document["allowed_logout_urls"] = JSONValue(allowedLogoutURLs) }
        for (name, origins) in [("web_origins", webOrigins), ("allowed_origins", allowedOrigins)]
        where !origins.isEmpty { document[name] = JSONValue(origins.map(\.description)) }
        document["mobile"] = mobile.map { .object($0.document) }
        if refreshTokens != RefreshTokenPolicy() { document["refresh_token"] = .object(refreshTokens.document) }
        if requiresPushedAuthorizationRequests { document["require_pushed_authorization_requests"] = true }
        if requiresProofKey { document["require_proof_key"] = true }
        document["logo_uri"] = logoURL.map(JSONValue.string)
        document["initiate_login_uri"] = initiateLoginURL.map(JSONValue.string)
        if let backchannelLogoutURL {
            document["oidc_logout"] = ["backchannel_logout_urls": [.string(backchannelLogoutURL)]]
        }
        return document
    }
}
