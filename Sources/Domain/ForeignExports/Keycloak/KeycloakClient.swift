import OAuthWire
import Primitives

/// A client of a realm.
struct KeycloakClient {
    let id: String
    let object: ForeignObject
    let isEnabled: Bool
    let isBearerOnly: Bool
    let isPublic: Bool
    let speaksOpenID: Bool
    private let attributes: ForeignObject?

    init(_ object: ForeignObject) throws(ForeignFailure) {
        self.object = object
        id = try object.required("clientId")
        isEnabled = try object.flag("enabled") ?? true
        isBearerOnly = try object.flag("bearerOnly") ?? false
        isPublic = try object.flag("publicClient") ?? false
        speaksOpenID = try object.text("protocol").map { $0 == "openid-connect" } ?? true
        attributes = try object.object("attributes")
    }

    var isOwn: Bool { KeycloakRealm.ownClients.contains(id) || id.hasSuffix("-realm") }

    /// Reason why the client has no entry here. Nil if it has one.
    var reasonToStay: String? {
        if isOwn { return "it is Keycloak's own; the account pages and the Management API are here without it" }
        if !speaksOpenID { return "SAML is not spoken; move the application to OpenID Connect" }
        if isBearerOnly { return "it is an API, which has no client here; its roles are scopes of the API \(id)" }
        if !isEnabled { return "it was turned off; a client is deleted here, or has its grants removed" }
        return nil
    }

    /// The client's entry. `rotates` is the realm's rule for refresh tokens.
    func document(rotates: Bool) throws(ForeignFailure) -> JSONObject {
        var document: JSONObject = ["client_id": .string(id)]
        let name = try object.text("name") ?? ""
        document["name"] = .string(name.isEmpty || name.hasPrefix("${") ? id : name)
        if let text = try object.text("description"), !text.isEmpty {
            document["additional"] = ["description": .string(text)]
        }
        var grants = try grants()
        let callbacks = try callbacks()
        if grants.contains(.authorizationCode), callbacks.isEmpty {
            grants.subtract([.authorizationCode, .refreshToken])
            object.differs(
                "standardFlowEnabled", was: "on", here: "off",
                "no redirect URI is left: countersign client update \(id) --set callbacks and grant_types adds them")
        }
        document["callbacks"] = callbacks.isEmpty ? nil : JSONValue(callbacks)
        document["grant_types"] = JSONValue(grants.map(\.rawValue).sorted())
        document["web_origins"] = try origins().map { JSONValue($0) }
        try authenticate(&document)
        try readAttributes(&document, callbacks)
        if try object.flag("consentRequired") == true {
            if grants.contains(.ciba) {
                object.differs(
                    "consentRequired", was: "on", here: "off", "a request by CIBA is itself the person's consent")
            } else {
                document["is_first_party"] = false
            }
        }
        if rotates, grants.contains(.refreshToken) { document["refresh_token"] = ["rotation_type": "rotating"] }
        if try object.flag("frontchannelLogout") == true {
            object.differs(
                "frontchannelLogout", was: "on", here: "off", "set a URL for back-channel logout, in oidc_logout")
        }
        for (member, text) in Self.instead { object.absent(member, text) }
        attributes?.finish("nothing here has this effect")
        object.finish()
        return document
    }

    // MARK: grants and addresses

    private func grants() throws(ForeignFailure) -> Set<GrantType> {
        var grants: Set<GrantType> = []
        // Keycloak's default is on.
        if try object.flag("standardFlowEnabled") ?? true { grants.formUnion([.authorizationCode, .refreshToken]) }
        if try attributes?.flag("oidc.ciba.grant.enabled") == true { grants.formUnion([.ciba, .refreshToken]) }
        if try attributes?.flag("use.refresh.tokens") == false { grants.remove(.refreshToken) }
        if try object.flag("serviceAccountsEnabled") == true { grants.insert(.clientCredentials) }
        if isPublic { grants.subtract([.ciba, .clientCredentials]) }
        if try object.flag("directAccessGrantsEnabled") == true {
            object.differs(
                "directAccessGrantsEnabled", was: "on", here: "off",
                "no client takes passwords: log people in with the browser, or ask their phones")
        }
        if try object.flag("implicitFlowEnabled") == true {
            object.differs("implicitFlowEnabled", was: "on", here: "off", "use the code flow with PKCE")
        }
        if try attributes?.flag("oauth2.device.authorization.grant.enabled") == true {
            attributes?.differs(
                "oauth2.device.authorization.grant.enabled", was: "on", here: "off",
                "use CIBA: the device names the user, and the phone approves")
        }
        return grants
    }

    private func callbacks() throws(ForeignFailure) -> [String] {
        let root = try object.text("rootUrl") ?? ""
        var callbacks: [String] = []
        for given in try object.texts("redirectUris") ?? [] {
            let uri = given.hasPrefix("/") ? Self.joined(root, given) : given
            if uri.contains("*") {
                object.differs(
                    "redirectUris", was: uri, here: "left out",
                    "redirect URIs are compared exactly: add each one that the application uses to callbacks")
            } else if given.hasPrefix("/"), root.isEmpty || root.hasPrefix("${") {
                object.differs("redirectUris", was: uri, here: "left out", "add it with its host to callbacks")
            } else if !callbacks.contains(uri) {
                callbacks.append(uri)
            }
        }
        return callbacks
    }

    private static func joined(_ root: String, _ path: String) -> String {
        root.hasSuffix("/") ? root.dropLast() + path : root + path
    }

    /// A plus sign stands for the origins of the redirect URIs, which are allowed here as well.
    private func origins() throws(ForeignFailure) -> [String]? {
        let given = try object.texts("webOrigins") ?? []
        if given.contains("*") {
            object.differs(
                "webOrigins", was: "*", here: "origins of callbacks", "name each origin of its scripts in web_origins")
        }
        let origins = given.filter { $0 != "+" && $0 != "*" && !$0.isEmpty }
        return origins.isEmpty ? nil : origins.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    // MARK: authentication

    private func authenticate(_ document: inout JSONObject) throws(ForeignFailure) {
        let method = try object.text("clientAuthenticatorType") ?? "client-secret"
        let secret = try object.secret("secret")
        guard !isPublic else {
            document["token_endpoint_auth_method"] = "none"
            return
        }
        switch method {
        case "client-jwt":
            let fromURL = try attributes?.flag("use.jwks.url") ?? false
            let (url, certificate) = (
                try attributes?.text("jwks.url"), try attributes?.text("jwt.credential.certificate")
            )
            if fromURL, let url, !url.isEmpty {
                document["jwks_uri"] = .string(url)
                document["token_endpoint_auth_method"] = "private_key_jwt"
                return
            }
            if let certificate, !certificate.isEmpty {
                let pem = "-----BEGIN CERTIFICATE-----\n\(certificate)\n-----END CERTIFICATE-----\n"
                document["client_authentication_methods"] = [
                    "private_key_jwt": ["credentials": [["pem": .string(pem)]]]
                ]
                document["token_endpoint_auth_method"] = "private_key_jwt"
                return
            }
        case "client-x509":
            let isPattern = try attributes?.flag("x509.allow.regex.pattern.comparison") ?? false
            if let subject = try attributes?.text("x509.subjectdn"), !subject.isEmpty, !isPattern {
                document["client_authentication_methods"] = [
                    "tls_client_auth": ["credentials": [["subject_dn": .string(subject)]]]
                ]
                document["token_endpoint_auth_method"] = "tls_client_auth"
                object.differs(
                    "clientAuthenticatorType", was: "\(method), \(subject)", here: "tls_client_auth",
                    "the name is compared exactly, in the form of RFC 4514, and --mtls-ca names the authority")
                return
            }
        default: break
        }
        if method != "client-secret" {
            object.differs(
                "clientAuthenticatorType", was: method, here: "a secret",
                "countersign client credential add \(id) brings its key or certificate")
        }
        document["token_endpoint_auth_method"] = "client_secret_basic"
        document["client_secret"] = secret.map(JSONValue.string)
    }

    private func readAttributes(_ document: inout JSONObject, _ callbacks: [String]) throws(ForeignFailure) {
        guard let attributes else { return }
        if let method = try attributes.text("pkce.code.challenge.method"), !method.isEmpty {
            document["require_proof_key"] = true
            if method != "S256" {
                attributes.differs("pkce.code.challenge.method", was: method, here: "S256", "send a challenge of S256")
            }
        }
        if try attributes.flag("require.pushed.authorization.requests") == true {
            document["require_pushed_authorization_requests"] = true
        }
        if try attributes.flag("tls.client.certificate.bound.access.tokens") == true {
            document["tls_client_certificate_bound_access_tokens"] = true
        }
        if let algorithm = try attributes.text("id.token.signed.response.alg"), !algorithm.isEmpty {
            document["jwt_configuration"] = ["alg": .string(algorithm)]
        }
        if let url = try attributes.text("backchannel.logout.url"), !url.isEmpty {
            document["oidc_logout"] = ["backchannel_logout_urls": JSONValue([url])]
        }
        if let url = try attributes.text("logoUri"), !url.isEmpty { document["logo_uri"] = .string(url) }
        var addresses: [String] = []
        for uri in (try attributes.text("post.logout.redirect.uris") ?? "").split(separator: "##").map(String.init) {
            if uri == "+" {
                addresses += callbacks
            } else if uri.contains("*") {
                attributes.differs(
                    "post.logout.redirect.uris", was: uri, here: "left out",
                    "addresses are compared exactly: add each one to allowed_logout_urls")
            } else if uri != "-" {
                addresses.append(uri)
            }
        }
        if !addresses.isEmpty { document["allowed_logout_urls"] = JSONValue(addresses) }
        if let mode = try attributes.text("ciba.backchannel.token.delivery.mode"), mode != "poll" {
            attributes.differs(
                "ciba.backchannel.token.delivery.mode", was: mode, here: "poll",
                "poll, or hold the token request with Prefer: wait")
        }
        attributes.absent("ciba.backchannel.client.notification.endpoint", "clients poll")
        attributes.absent(
            "ciba.backchannel.auth.request.signing.alg", "requests are not signed; the client authenticates")
        attributes.absent("access.token.lifespan", "set token_lifetime of the API")
        attributes.absent("access.token.signed.response.alg", "set signing_alg of the API")
        attributes.absent("dpop.bound.access.tokens", "bind tokens to a certificate")
        for page in ["policyUri", "tosUri"] { attributes.absent(page, "set privacy_url and terms_url of the tenant") }
    }

    private static let instead: KeyValuePairs = [
        "id": "the client_id is the only id",
        "baseUrl": "set initiate_login_uri if the application starts logins",
        "adminUrl": "the server calls no application but at a logout",
        "protocolMappers": "tokens have the claims of the user's profile, permissions and app_metadata",
        "defaultClientScopes": "every client may request the scopes of OpenID Connect, and those of its APIs",
        "optionalClientScopes": "every client may request the scopes of OpenID Connect, and those of its APIs",
        "fullScopeAllowed": "roles limit the user's scopes, and client_grants the client's",
        "authorizationSettings": "there are no policies here; use roles with scopes, or ask the person by CIBA",
        "authorizationServicesEnabled": "there are no policies here; use roles with scopes, or ask the person by CIBA",
        "authenticationFlowBindingOverrides": "there is one flow; multi_factor and acr_values make it stronger",
        "defaultRoles": "give roles to users",
    ]
}
