import AuthorizationCore
import Localization
import Primitives

extension KeycloakRealm {
    /// Adds a user as a document of a users import.
    func add(_ user: ForeignObject, _ configuration: inout ForeignConfiguration) throws {
        let username = try user.required("username")
        if let client = try user.text("serviceAccountClientId") {
            return try addServiceAccount(user, of: client, &configuration)
        }
        var document: JSONObject = [:]
        document["user_id"] = try user.text("id").map(JSONValue.string) ?? .string(Names.id(username))
        for (member, name) in [("email", "email"), ("firstName", "given_name"), ("lastName", "family_name")] {
            document[name] = try user.text(member).flatMap { $0.isEmpty ? nil : .string($0) }
        }
        name(user, username, &document)
        let parts = ["given_name", "family_name"].compactMap { document[$0]?.stringValue }
        if !parts.isEmpty { document["name"] = .string(parts.joined(separator: " ")) }
        document["email_verified"] = try user.flag("emailVerified").map(JSONValue.bool)
        if let isEnabled = try user.flag("enabled") { document["blocked"] = .bool(!isEnabled) }
        if let attributes = user.value("attributes")?.objectValue {
            var metadata: JSONObject = [:]
            for (name, value) in attributes {
                // Keycloak writes a list even for one value.
                let value = if let list = value.arrayValue, list.count == 1 { list[0] } else { value }
                if name == "locale", let language = value.stringValue.flatMap({ Language(tag: $0) }) {
                    document["locale"] = .string(language.rawValue)
                } else {
                    metadata[name] = value
                }
            }
            if !metadata.isEmpty { document["app_metadata"] = .object(metadata) }
        }
        let given = try roles(of: user)
        if !given.isEmpty { document["roles"] = JSONValue(given) }
        try credentials(user, &document)
        for action in try user.texts("requiredActions") ?? [] {
            user.differs(
                "requiredActions", was: action, here: "none", Self.insteadOfActions[action] ?? "pages lead people to it"
            )
        }
        for identity in try user.objects("federatedIdentities") {
            for member in ["identityProvider", "userId", "userName"] {
                identity.absent(
                    member, "set link_verified_emails: the person's first login by the provider finds the address")
            }
            identity.finish()
        }
        for (member, text) in Self.insteadOfMembers { user.absent(member, text) }
        user.finish()
        configuration.users.append(document)
        user.account.came(as: "users import")
    }

    /// Names for logins. Many realms have the address as username, which is a name by itself.
    private func name(_ user: ForeignObject, _ username: String, _ document: inout JSONObject) {
        let isName = if case .username = LoginName(parsing: username) { true } else { false }
        let email = document["email"]?.stringValue
        if isName, email?.lowercased() != username.lowercased() { document["username"] = .string(username) }
        if email == nil, isName {
            user.differs(
                "username", was: "a user without an address", here: "the same",
                "they log in by username, and get no mails: no link to enrol a phone or to set a password")
        } else if email == nil {
            document["username"] = .string(username)
            user.differs(
                "username", was: "a username with an @, and no address", here: "nobody",
                "a username has no @: give each person an e-mail address in the users' file")
        } else if !isName, email?.lowercased() != username.lowercased() {
            user.differs(
                "username", was: "a username with an @, beside an address", here: "the address",
                "a username has no @: they log in by their e-mail address")
        }
    }

    private static let insteadOfActions = [
        "UPDATE_PASSWORD": "countersign user update ID --set password, or a link to reset it",
        "VERIFY_EMAIL": "the address is not verified; people confirm it at their next login",
        "CONFIGURE_TOTP": "countersign device invite mails a link to enrol a phone",
        "UPDATE_PROFILE": "people change their profile in the applications",
    ]

    private static let insteadOfMembers: KeyValuePairs = [
        "createdTimestamp": "an imported user was created on the day of the import",
        "totp": "see the credentials",
        "disableableCredentialTypes": "people remove their factors on their account's pages",
        "notBefore": "new tokens are issued by new keys",
        "clientConsents": "people consent again, to clients that are not first-party",
        "access": "it is about the reader of the export",
        "federationLink": "no directory is read; give the person a link to set a password",
        "origin": "no directory is read",
        "self": "it is about the reader of the export",
    ]

    /// Ids of the roles that the user has, by groups too. Keycloak's own have none.
    private func roles(of user: ForeignObject) throws -> [String] {
        var names: Set<KeycloakRoles.Name> = []
        for role in try user.texts("realmRoles") ?? [] { names.insert(KeycloakRoles.Name(client: nil, role: role)) }
        if let clients = try user.object("clientRoles") {
            for client in clients.names {
                for role in try clients.texts(client) ?? [] {
                    names.insert(KeycloakRoles.Name(client: client, role: role))
                }
            }
        }
        for path in try user.texts("groups") ?? [] {
            guard let given = groups.roles[path] else {
                throw user.failure(
                    "groups", "names \(path), which the realm's file does not have; export both together")
            }
            names.formUnion(given)
        }
        // The realm's default role stands for others.
        for name in names where name.client == nil && KeycloakRoles.isOwn(name, of: self.name) {
            names.formUnion(roles.including(name))
        }
        for name in names where !roles.contains(name) && !KeycloakRoles.isOwn(name, of: self.name) {
            throw user.failure("realmRoles", "name the role \(name.role), which the realm's file does not have")
        }
        return names.filter { !KeycloakRoles.isOwn($0, of: self.name) }.map(\.id).sorted()
    }

    /// A client's own account: its roles become the client's grants.
    private func addServiceAccount(
        _ user: ForeignObject, of client: String, _ configuration: inout ForeignConfiguration
    ) throws {
        guard let index = configuration.clients.firstIndex(where: { $0.text("client_id") == client }) else {
            return user.account.stays("its client did not come")
        }
        var scopes: [String: [String]] = [:]
        var names: Set<KeycloakRoles.Name> = []
        for role in try user.texts("realmRoles") ?? [] {
            names.formUnion(roles.including(KeycloakRoles.Name(client: nil, role: role)))
        }
        if let clients = try user.object("clientRoles") {
            for other in clients.names {
                for role in try clients.texts(other) ?? [] {
                    names.formUnion(roles.including(KeycloakRoles.Name(client: other, role: role)))
                }
            }
        }
        for name in names where !KeycloakRoles.isOwn(name, of: self.name) {
            if let other = name.client { scopes[other, default: []].append(name.role) }
        }
        if !scopes.isEmpty {
            configuration.grants.append(
                ForeignConfiguration.Grants(
                    client: client, audiences: Array(scopes.keys), subject: user.account.subject))
            configuration.clients[index].document["client_grants"] = .array(
                scopes.sorted { $0.key < $1.key }.map { api, scopes in
                    ["audience": .string(api), "subject_type": "client", "scope": JSONValue(scopes.sorted())]
                })
            configuration.clients[index].document["limited_to_grants"] = false
        }
        user.finish("a client's own account has no profile here")
        user.account.differs(
            "serviceAccountClientId", was: "a user of a client", here: "the client's grants",
            "the sub of its tokens is CLIENT@clients")
        user.account.came(as: "grants of clients")
    }

    // MARK: credentials

    private func credentials(_ user: ForeignObject, _ document: inout JSONObject) throws {
        var hasPassword = false
        var factors: [JSONValue] = []
        for credential in try user.objects("credentials") {
            let type = try credential.required("type")
            for member in ["id", "createdDate", "priority", "temporary"] + (type == "otp" ? [] : ["userLabel"]) {
                credential.absent(member, "a password or a code has no name and no date of its own here")
            }
            let (data, secret) = (
                try Self.inner("credentialData", credential), try Self.inner("secretData", credential)
            )
            switch type {
            case "password" where !hasPassword:
                if let value = try credential.secret("value") {
                    // A hand-written file has passwords as they are.
                    credential.differs("value", was: "a password", here: "none", "send the person a link to set one")
                    _ = value
                } else if let hash = KeycloakHash(data, secret) {
                    document["custom_password_hash"] = hash.document
                    hasPassword = true
                } else {
                    credential.differs(
                        "credentialData", was: data["algorithm"]?.stringValue ?? "an unknown algorithm", here: "none",
                        "the hash cannot be verified here: send the person a link to set a password")
                }
            case "otp":
                // People choose their labels, which may be anything.
                let label = credential.value("userLabel")?.stringValue
                let factor = KeycloakOneTimePassword(data, secret, named: label)?.document
                if let factor, factors.count < Authenticator.limit {
                    factors.append(factor)
                } else {
                    credential.differs(
                        "type", was: "one-time passwords", here: "none",
                        factor == nil
                            ? "the person loses them, and enrols a phone: codes of the time (TOTP) with usual steps are taken"
                            : "a person has at most \(Authenticator.limit) authenticator apps")
                }
            default:
                credential.differs(
                    "type", was: type, here: "none",
                    "the person loses this factor: passkeys and recovery codes are bound to the old host")
            }
            credential.finish()
        }
        if !factors.isEmpty { document["mfa_factors"] = .array(factors) }
    }

    /// A member that holds JSON as a text.
    private static func inner(_ name: String, _ credential: ForeignObject) throws -> JSONObject {
        guard let text = try credential.text(name) else { return [:] }
        guard let value = try? JSONReader.parse(text).objectValue else {
            throw credential.failure(name, "must be a text with a JSON object, as kc.sh export writes it")
        }
        return value
    }
}

/// The secret of an authenticator app as an import's file has it.
struct KeycloakOneTimePassword {
    let document: JSONValue

    /// Nil for codes that an import does not take: of a counter (HOTP), or of an odd shape. Without an encoding, the bytes
    /// of the secret's text are the key.
    init?(_ data: JSONObject, _ secret: JSONObject, named label: String?) {
        let algorithms = ["HmacSHA1": "sha1", "HmacSHA256": "sha256", "HmacSHA512": "sha512"]
        guard data["subType"] == "totp", let digits = data["digits"]?.intValue, let period = data["period"]?.intValue,
            let value = secret["value"]?.stringValue,
            let name = data["algorithm"]?.stringValue, let algorithm = algorithms[name].flatMap(HashAlgorithm.init)
        else { return nil }
        let key: [UInt8]
        switch data["secretEncoding"]?.stringValue?.uppercased() {
        case nil: key = Array(value.utf8)
        case "BASE32":
            guard let decoded = Base32.decode(value) else { return nil }
            key = decoded
        default: return nil
        }
        guard
            (try? TimedPassword(secret: SecretBytes(key), algorithm: algorithm, digits: digits, period: period)) != nil
        else { return nil }
        var totp: JSONObject = [
            "secret": .string(Base32.encode(key)), "algorithm": .string(algorithm.rawValue),
            "digits": .number(JSONNumber(digits)), "period": .number(JSONNumber(period)),
        ]
        totp["name"] = label.flatMap { Authenticator.isName($0) ? .string($0) : nil }
        document = ["totp": .object(totp)]
    }
}

/// A password's hash as Auth0's `custom_password_hash` has it.
struct KeycloakHash {
    let document: JSONValue

    /// Nil for an algorithm that the import does not know.
    init?(_ data: JSONObject, _ secret: JSONObject) {
        guard let algorithm = data["algorithm"]?.stringValue, let value = secret["value"]?.stringValue else {
            return nil
        }
        if algorithm == "bcrypt" {
            guard value.hasPrefix("$2") else { return nil }
            document = ["algorithm": "bcrypt", "hash": ["value": .string(value)]]
            return
        }
        guard let iterations = data["hashIterations"]?.intValue, iterations > 0, let hash = Base64.decode(value),
            let salt = secret["salt"]?.stringValue.flatMap({ Base64.decode($0) }), !hash.isEmpty
        else { return nil }
        let end = "$\(Self.unpadded(salt))$\(Self.unpadded(hash))"
        let digests = ["pbkdf2": "sha1", "pbkdf2-sha256": "sha256", "pbkdf2-sha512": "sha512"]
        let text: String
        if algorithm == "argon2" {
            func parameter(_ name: String) -> String? {
                let value = data["additionalParameters"]?[name]
                return value?[0]?.stringValue ?? value?.stringValue
            }
            let versions = ["1.0": 16, "1.3": 19]
            guard let memory = parameter("memory").flatMap(Int.init),
                let lanes = parameter("parallelism").flatMap(Int.init),
                let version = versions[parameter("version") ?? "1.3"],
                let type = parameter("type"), ["i", "d", "id"].contains(type)
            else { return nil }
            text = "$argon2\(type)$v=\(version)$m=\(memory),t=\(iterations),p=\(lanes)\(end)"
        } else if let digest = digests[algorithm] {
            text = "$pbkdf2-\(digest)$i=\(iterations),l=\(hash.count)\(end)"
        } else {
            return nil
        }
        document = [
            "algorithm": algorithm == "argon2" ? "argon2" : "pbkdf2",
            "hash": ["value": .string(text), "encoding": "utf8"],
        ]
    }

    /// The alphabet B64 of PHC strings: Base64 without padding.
    private static func unpadded(_ bytes: [UInt8]) -> String {
        String(Base64.encode(bytes).prefix { $0 != "=" })
    }
}
