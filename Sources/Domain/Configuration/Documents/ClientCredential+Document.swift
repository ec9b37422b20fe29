package import AuthorizationCore
import JOSE
import JSONSchema
package import Primitives
import X509

/// Client authentication (RFC 7591 clause 2 and Auth0's `client_authentication_methods`).
extension Client {
    package var allCredentials: [ClientCredential] { credentials + unusedCredentials }

    /// Reads `client_authentication_methods`, whose method is the client's if `token_endpoint_auth_method` names none.
    mutating func readCredentials(_ fields: DocumentFields) {
        guard let methods = fields.object("client_authentication_methods") else { return }
        var implied: AuthenticationMethod?
        for method in AuthenticationMethod.allCases where method.hasCredentials {
            guard let entry = methods.object(method.rawValue) else { continue }
            if implied != nil { methods.problem(method.rawValue, "must be the only method") }
            implied = method
            let list = entry.objects("credentials")
            if list.count > Self.credentialLimit {
                entry.problem("credentials", "may hold \(Self.credentialLimit) at most")
            }
            credentials = list.compactMap { item in
                defer { item.finish() }
                return ClientCredential(item, of: method)
            }
            entry.finish()
        }
        methods.finish()
        guard let implied else { return }
        if fields.value("token_endpoint_auth_method") == nil {
            authenticationMethod = implied
        } else if authenticationMethod != implied {
            fields.problem(
                "token_endpoint_auth_method",
                "is \(authenticationMethod.rawValue), but client_authentication_methods has \(implied.rawValue)")
        }
    }

    /// Reads the set as a client's own document is read (`jwks_uri`). Malformed keys are problems here, because the author
    /// should see them.
    static func keys(_ value: JSONValue, _ fields: DocumentFields) -> JWKSet? {
        guard let list = value["keys"]?.arrayValue, (1...credentialLimit).contains(list.count) else {
            fields.problem("jwks", "must be an object with a list of 1 to \(credentialLimit) keys")
            return nil
        }
        var isWhole = true
        let set = try? JWKSet(value) { index, failure in
            isWhole = false
            fields.problem("jwks", "has a key \(index) that is not a public key: \(failure.text)")
        }
        if isWhole, set?.keys.isEmpty != false {
            fields.problem("jwks", "has no key that verifies signatures; add one without use or with use sig")
        }
        return set
    }

    /// Checks authentication fields against each other.
    package func checkAuthentication(_ path: String, hasSecret: Bool, _ problems: Problems) {
        let prefix = path.isEmpty ? "" : path + "."
        if !usesSecret, hasSecret {
            let method = authenticationMethod.rawValue
            problems.add(
                "\(prefix)client_secret",
                "must be left out: with token_endpoint_auth_method \(method) there is no secret")
        }
        // Unreadable members are reported already.
        let isTold = problems.list.contains { problem in
            ["client_authentication_methods", "jwks"].contains { problem.path.hasPrefix("\(path).\($0)") }
        }
        if !isTold, authenticationMethod.hasCredentials, credentials.isEmpty,
            authenticationMethod == .tlsClientAuth || jwks == nil && jwksURI == nil
        {
            let others = authenticationMethod == .tlsClientAuth ? "" : ", jwks or jwks_uri"
            problems.add(
                path,
                "needs something to prove it by for \(authenticationMethod.rawValue): client_authentication_methods"
                    + others)
        }
        if authenticationMethod == .privateKeyJWT {
            // RFC 7523 clause 3: iss and sub are the client's id, and are limited.
            if id.rawValue.utf8.count > Self.assertionNameLimit {
                problems.add(
                    "\(prefix)client_id", "may have \(Self.assertionNameLimit) bytes at most with private_key_jwt")
            }
        }
        var seen: Set<ClientCredentialID> = []
        for credential in credentials where !credential.id.rawValue.isEmpty && !seen.insert(credential.id).inserted {
            problems.add(path, "has the credential \(credential.id) twice")
        }
    }

    func writeCredentials(_ document: inout JSONObject) {
        if credentials.isEmpty { return }
        let list: JSONValue = ["credentials": .array(credentials.map { .object($0.document) })]
        document["client_authentication_methods"] = .object([authenticationMethod.rawValue: list])
    }

    /// Gives credentials ids and dates. A credential stored before keeps its date. A credential without an id gets one
    /// derived from its content, the same every time.
    package func withCredentialsNamed(over old: Client?, _ hashing: some Hashing, now: Timestamp) -> Client {
        var client = self
        client.credentials = credentials.map { $0.named(among: old?.allCredentials ?? [], hashing, now: now) }
        client.unusedCredentials = unusedCredentials.map {
            $0.named(among: old?.allCredentials ?? [], hashing, now: now)
        }
        return client
    }
}

extension Client.AuthenticationMethod {
    /// Part of `client_authentication_methods`.
    package var hasCredentials: Bool {
        self == .privateKeyJWT || self == .tlsClientAuth || self == .selfSignedTLSClientAuth
    }
}

extension ClientCredential {
    /// Adds an id and a date, or those of `known`.
    package func named(among known: [ClientCredential], _ hashing: some Hashing, now: Timestamp) -> ClientCredential {
        var made = self
        if case .publicKey(var key) = made.content, key.keyID == nil {
            // As Auth0 does.
            key.keyID = Base64URL.encode(key.thumbprint(hashing))
            made.content = .publicKey(key)
        }
        if made.id.rawValue.isEmpty {
            let hash = hashing.sha256(JSONWriter.bytes(.object(made.content.document)))
            made = ClientCredential(
                id: ClientCredentialID("cred_" + Base64URL.encode(hash.prefix(16))), name: name,
                content: made.content, createdAt: now, expiresAt: expiresAt)
        }
        made.createdAt = known.first { $0.id == made.id }?.createdAt ?? now
        return made
    }

    /// Derives the method from the members.
    package init?(unused fields: DocumentFields) {
        if fields.value("jwk") != nil {
            self.init(fields, of: .privateKeyJWT)
        } else {
            self.init(fields, of: fields.value("pem") != nil ? .selfSignedTLSClientAuth : .tlsClientAuth)
        }
    }

    /// A missing id is empty and a missing date zero: see `withCredentialsNamed`.
    package init?(_ fields: DocumentFields, of method: Client.AuthenticationMethod) {
        let id = fields.string("id", limit: 64)
        let name = fields.string("name")
        let createdAt = FieldType.moment.read(fields, "created_at")
        let expiresAt = FieldType.moment.read(fields, "expires_at")
        guard let content = Content(fields, of: method) else { return nil }
        self.init(
            id: ClientCredentialID(id ?? ""), name: name, content: content,
            createdAt: createdAt ?? Timestamp(seconds: 0), expiresAt: expiresAt)
    }

    package var document: JSONObject {
        var document = content.document
        document["id"] = .string(id.rawValue)
        document["name"] = name.map(JSONValue.string)
        document["created_at"] = .string(createdAt.iso8601)
        document["expires_at"] = expiresAt.map { .string($0.iso8601) }
        return document
    }
}

extension ClientCredential.Content {
    /// Reads the content for a method.
    fileprivate init?(_ fields: DocumentFields, of method: Client.AuthenticationMethod) {
        switch method {
        case .privateKeyJWT: self.init(key: fields)
        case .tlsClientAuth: self.init(name: fields)
        case .selfSignedTLSClientAuth:
            guard let text = fields.requiredString("pem", limit: Self.pemLimit, allowsLines: true) else { return nil }
            guard let certificate = Certificate(pem: text) else {
                fields.problem("pem", "must be one certificate in PEM")
                return nil
            }
            self = .certificate(certificate)
        case .clientSecretPost, .clientSecretBasic, .none: return nil
        }
    }

    private static let pemLimit = 16_384

    private init?(key fields: DocumentFields) {
        let algorithm = fields.assertionAlgorithm("alg")
        let keyID = fields.string("kid")
        var key: JWK
        switch (fields.value("jwk"), fields.string("pem", limit: Self.pemLimit, allowsLines: true)) {
        case (let value?, nil):
            do throws(JWK.Failure) {
                key = try JWK(value)
            } catch {
                fields.problem("jwk", "must be a public key: \(error.text)")
                return nil
            }
        case (nil, let text?):
            guard let read = JWK(pem: text) else {
                fields.problem(
                    "pem",
                    "must be one public key or certificate in PEM: RSA of 2048 to 8192 bits, P-256, P-384 or Ed25519")
                return nil
            }
            key = read
        default:
            fields.problem("jwk", "or pem is required, and not both")
            return nil
        }
        key.certificate = nil
        key.keyID = keyID ?? key.keyID
        if let algorithm {
            guard key.allows(algorithm) else {
                fields.problem("alg", "\(algorithm.rawValue) does not fit the key")
                return nil
            }
            key.algorithm = algorithm
        }
        self = .publicKey(key)
    }

    private init?(name fields: DocumentFields) {
        var names: [CertificateName?] = []
        func read(_ field: String, _ expected: String, _ make: (String) -> CertificateName?) {
            guard let text = fields.string(field, limit: 2048) else { return }
            names.append(make(text))
            if names.last == .some(nil) { fields.problem(field, "must be \(expected)") }
        }
        read("subject_dn", "a name as RFC 4514 writes it, such as CN=agent,O=Example,C=CH") { text in
            DistinguishedName(text).map { .subject($0, text: text) }
        }
        read("san_dns", "a DNS name") { .dns($0) }
        read("san_uri", "a URI") { .uri($0) }
        read("san_ip", "an IP address") { IPAddress($0).map { .address($0) } }
        read("san_email", "an e-mail address") { .email($0) }
        guard names.count == 1 else {
            fields.problem(
                "subject_dn", "or one of san_dns, san_uri, san_ip and san_email is required, and only one of them")
            return nil
        }
        guard let name = names[0] else { return nil }
        self = .name(name)
    }

    package var document: JSONObject {
        switch self {
        case .publicKey(let key): ["jwk": key.json]
        case .certificate(let certificate): ["pem": .string(certificate.pem)]
        case .name(.subject(_, let text)): ["subject_dn": .string(text)]
        case .name(.dns(let name)): ["san_dns": .string(name)]
        case .name(.uri(let uri)): ["san_uri": .string(uri)]
        case .name(.address(let address)): ["san_ip": .string(address.description)]
        case .name(.email(let email)): ["san_email": .string(email)]
        }
    }
}

extension DocumentFields {
    /// One of the algorithms for assertions.
    fileprivate func assertionAlgorithm(_ name: String) -> JWSAlgorithm? {
        guard let text = string(name) else { return nil }
        guard let algorithm = JWSAlgorithm(name: text), Client.assertionAlgorithms.contains(algorithm) else {
            problem(name, "must be one of \(Client.assertionAlgorithms.map(\.rawValue).joined(separator: ", "))")
            return nil
        }
        return algorithm
    }
}

extension JWK.Failure {
    fileprivate var text: String {
        switch self {
        case .notAnObject: "it must be an object"
        case .member(let name): "its \(name) is missing or wrong"
        case .unsupportedKeyType(let type): "kty \(type) is not supported"
        case .unsupportedCurve(let curve): "crv \(curve) is not supported"
        case .unsupportedAlgorithm(let name): "alg \(name) is not supported"
        case .privateMember(let name): "it has the private member \(name); remove it from everywhere and use a new key"
        case .modulusSize(let bits): "an RSA key has 2048 to 8192 bits, not \(bits)"
        }
    }
}

extension FieldType where Value == Timestamp {
    /// An RFC 3339 date and time.
    package static var moment: FieldType {
        .parsed(
            .date, "", limit: 255, "must be a date and time such as 2027-01-31T12:00:00Z", Timestamp.init(iso8601:),
            write: \.iso8601)
    }
}
