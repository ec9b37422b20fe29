import OAuthWire
import Primitives

/// An application of Auth0.
struct Auth0Client {
    let name: String
    /// Nil for an export without ids.
    let id: String?
    /// A client is never made twice: one that an import without ids made keeps the id from its name.
    let idHere: String
    /// A client here of the same name and another id, which nobody can tell from this one while it has no id.
    private let namesake: String?
    let secret: String?
    /// Auth0's own, which stands for all clients of a tenant.
    let isGlobal: Bool
    let isResourceServer: Bool
    let object: ForeignObject

    init(_ object: ForeignObject, _ list: Auth0ClientList) throws(ForeignFailure) {
        self.object = object
        name = try object.required("name")
        let own = try object.text("client_id")
        let known = list.known(name: name, id: own)
        id = own ?? known?.id
        secret = try object.secret("client_secret") ?? known?.secret
        isGlobal = try object.flag("global") ?? false
        isResourceServer = try object.text("app_type") == "resource_server"
        let derived = Names.id(name)
        if let id, list.here[id] != nil || list.here[derived] != name { idHere = id } else { idHere = derived }
        let isNew = id == nil && list.here[derived] == nil
        namesake = isNew ? list.here.filter { [name] in $0.value == name }.keys.min() : nil
    }

    var subject: MoveReport.Subject { object.account.subject }

    /// The client's entry. Nil, with a line in the report, for clients that have no counterpart.
    func document() throws(ForeignFailure) -> JSONObject? {
        if isGlobal {
            object.account.stays("it stands for all clients of a tenant at Auth0; there is none here")
            return nil
        }
        if isResourceServer {
            object.account.stays("an API that exchanges tokens has no client here; make one for it if it needs tokens")
            return nil
        }
        if let namesake {
            throw ForeignFailure(
                file: subject.file, path: "client_id",
                "is missing, and the tenant has the client \(namesake) of the same name; import with --clients or "
                    + "AUTH0_EXPORT_IDENTIFIERS=true, or rename that client")
        }
        if let id, id != idHere {
            object.differs(
                "client_id", was: id, here: idHere,
                "an import without ids made the client; to have Auth0's id, run countersign client delete \(idHere), "
                    + "and import again")
        }
        if id == nil {
            object.differs(
                "client_id", was: "not in the export", here: idHere,
                "set the new client_id in the application, or import with --clients or AUTH0_EXPORT_IDENTIFIERS=true")
        }
        var document: JSONObject = ["client_id": .string(idHere), "name": .string(name)]
        for member in ["logo_uri", "initiate_login_uri", "jwks_uri"] {
            document[member] = try object.text(member).flatMap { $0.isEmpty ? nil : .string($0) }
        }
        for member in ["callbacks", "allowed_logout_urls", "web_origins", "allowed_origins"] {
            document[member] = try object.texts(member).map { JSONValue($0) }
        }
        for member in [
            "is_first_party", "oidc_conformant", "require_pushed_authorization_requests", "require_proof_key",
            "tls_client_certificate_bound_access_tokens",
        ] {
            document[member] = try object.flag(member).map(JSONValue.bool)
        }
        document["mobile"] = object.value("mobile")
        // Data of programs that manage clients, which the Management API returns.
        var kept: JSONObject = [:]
        kept["description"] = try object.text("description").flatMap { $0.isEmpty ? nil : .string($0) }
        kept["client_metadata"] = object.value("client_metadata")
        if !kept.isEmpty { document["additional"] = .object(kept) }
        if let type = try object.text("app_type"), !type.isEmpty {
            if ["native", "spa", "regular_web", "non_interactive"].contains(type) {
                document["app_type"] = .string(type)
            } else {
                object.differs("app_type", was: type, here: "none", "the type has no effect on tokens")
            }
        }
        document["async_approval_notification_channels"] =
            try object.texts("async_approval_notification_channels").flatMap { $0.isEmpty ? nil : JSONValue($0) }
        document["grant_types"] = JSONValue(try grants())
        try authenticate(&document)
        try tokens(&document)
        for (member, text) in Self.instead { object.absent(member, text) }
        object.finish()
        return document
    }

    private func grants() throws(ForeignFailure) -> [String] {
        let given = try object.texts("grant_types") ?? []
        let (known, other) = (
            given.filter { GrantType(rawValue: $0) != nil }, given.filter { GrantType(rawValue: $0) == nil }
        )
        for grant in other {
            object.differs(
                "grant_types", was: grant, here: "none", Self.insteadOfGrants[grant] ?? "the grant does not exist here")
        }
        return known
    }

    private static let insteadOfGrants = [
        "implicit": "use the code flow with PKCE",
        "password": "log people in with the browser, or ask their phones",
        "http://auth0.com/oauth/grant-type/password-realm": "log people in with the browser, or ask their phones",
        "http://auth0.com/oauth/grant-type/mfa-otp": "the second factor is part of the login in the browser",
        "http://auth0.com/oauth/grant-type/mfa-oob": "the second factor is part of the login in the browser",
        "http://auth0.com/oauth/grant-type/mfa-recovery-code": "the second factor is part of the login in the browser",
        "urn:ietf:params:oauth:grant-type:device_code": "use CIBA: the device names the user, and the phone approves",
    ]

    private func authenticate(_ document: inout JSONObject) throws(ForeignFailure) {
        var method = try object.text("token_endpoint_auth_method")
        if let methods = try object.object("client_authentication_methods") {
            for name in methods.names {
                guard let entry = try methods.object(name) else { continue }
                method = "client_secret_post"
                for credential in try entry.objects("credentials") {
                    let title = try credential.text("name") ?? "without a name"
                    for member in credential.names where member != "name" {
                        credential.absent(member, "the export has no key; see the line about its name")
                    }
                    credential.differs(
                        "name", was: "\(name), \(title)", here: "a secret",
                        "countersign client credential add \(idHere) --public-key FILE --use brings the key")
                }
                entry.finish()
            }
        }
        let given = try object.text("jwks_uri")
        if given != nil, method == nil || method == "client_secret_post" { method = "private_key_jwt" }
        // A method alone proves nothing: keys and certificates are in no export.
        if given == nil, let name = method, !name.isEmpty, name != "none", !name.hasPrefix("client_secret") {
            object.differs(
                "token_endpoint_auth_method", was: "\(name), without a key", here: "a secret",
                "countersign client credential add \(idHere) --public-key FILE --use brings the key")
            method = "client_secret_post"
        }
        if let method, !method.isEmpty { document["token_endpoint_auth_method"] = .string(method) }
        if method?.isEmpty != false || method?.hasPrefix("client_secret") == true, let secret {
            document["client_secret"] = .string(secret)
        }
    }

    private func tokens(_ document: inout JSONObject) throws(ForeignFailure) {
        if let fields = try object.object("jwt_configuration") {
            var settings: JSONObject = [:]
            settings["lifetime_in_seconds"] = try fields.number("lifetime_in_seconds").map { .number(JSONNumber($0)) }
            if let algorithm = try fields.text("alg") {
                if algorithm == "HS256" {
                    fields.differs("alg", was: algorithm, here: "RS256", "the client verifies ID tokens by the key set")
                } else {
                    settings["alg"] = .string(algorithm)
                }
            }
            fields.finish()
            document["jwt_configuration"] = .object(settings)
        }
        if let fields = try object.object("refresh_token") {
            var settings: JSONObject = [:]
            for name in ["rotation_type", "expiration_type"] {
                settings[name] = try fields.text(name).map(JSONValue.string)
            }
            for name in ["leeway", "token_lifetime", "idle_token_lifetime"] {
                settings[name] = try fields.number(name).map { .number(JSONNumber($0)) }
            }
            for name in ["infinite_token_lifetime", "infinite_idle_token_lifetime"] {
                settings[name] = try fields.flag(name).map(JSONValue.bool)
            }
            fields.finish()
            document["refresh_token"] = .object(settings)
        }
        if let fields = try object.object("oidc_logout") {
            let urls = try fields.texts("backchannel_logout_urls") ?? []
            if let first = urls.first { document["oidc_logout"] = ["backchannel_logout_urls": JSONValue([first])] }
            for url in urls.dropFirst() {
                fields.differs("backchannel_logout_urls", was: url, here: "none", "one URL is notified")
            }
            fields.finish("every end of a session is notified, with its sid")
        }
    }

    private static let instead: KeyValuePairs = [
        "custom_login_page": "pages are the server's own, with the tenant's colour and logo",
        "addons": "there are no add-ons: SAML and WS-Federation are not spoken",
        "organization_usage": "there are no organizations",
        "organization_require_behavior": "there are no organizations",
        "default_organization": "there are no organizations",
        "native_social_login": "apps log in with the browser",
        "cross_origin_authentication": "login is in the browser, on the server's pages",
        "cross_origin_auth": "login is in the browser, on the server's pages",
    ]
}
