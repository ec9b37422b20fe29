import Administration
import AuthorizationCore
import CountersignServer
import JOSE
import ManagementAPI
import Primitives
import Terminal
import X509

/// Public keys and certificates that authenticate clients.
extension Command {
    static var clientCredentials: Command {
        Command(
            "credential", "Manage a client's public keys and certificates.",
            discussion: """
                A credential has no effect until it is used. A client authenticates either by a secret or by the \
                credentials of one method: keys (private_key_jwt), its own certificates (self_signed_tls_client_auth), \
                or names in an authority's certificates (tls_client_auth).
                """,
            examples: addCredential.examples, subcommands: [listCredentials, addCredential, removeCredential]
        ).hints([
            "create": "use countersign client credential add",
            "delete": "use countersign client credential remove",
        ])
    }

    private static let client = Option<String>.argument("CLIENT", .string, "Id of the client.")

    private static var listCredentials: Command {
        ObjectCommands.work(
            "list", "Show a client's credentials, oldest first.", [client],
            examples: ["list a client's keys": "countersign client credential list 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe"]
        ) { target, invocation in
            let client = try await target.client(ClientID(try invocation[client]))
            let credentials = try await target.installation.clientCredentials.list(of: client.id, in: target.tenant.id)
            try ObjectCommands.print(
                ObjectCommands.Listing(credentials.map { $0.json(of: client) }),
                columns: [
                    "CREDENTIAL": "id", "TYPE": "credential_type", "KID": "kid", "ALGORITHM": "alg",
                    "EXPIRES": "expires_at", "USED": "is_used", "NAME": "name",
                ], invocation)
        }
    }

    private static var addCredential: Command {
        let key = Option<String?>.optional("public-key", .path, "A public key in PEM, for private_key_jwt.")
        let certificate = Option<String?>.optional(
            "certificate", .path, "A certificate in PEM, for self_signed_tls_client_auth.")
        let subject = Option<String?>.optional(
            "subject-dn", .string.placeholder("NAME"),
            "Subject of the client's certificate in the form of RFC 4514, for tls_client_auth.")
        let algorithm = Option<String?>.optional(
            "algorithm", .choice(Client.assertionAlgorithms.map(\.rawValue)), defaultText: "all that fit the key",
            "Only algorithm for which the key is accepted.")
        let keyID = Option<String?>.optional(
            "kid", .string.placeholder("KID"), defaultText: "the key's thumbprint", "Value of kid in assertions.")
        let name = Option<String?>.optional("name", .string.placeholder("TEXT"), "Name for people.")
        let expires = Option<String?>.optional(
            "expires", .string.placeholder("DATE"), defaultText: "the certificate's end, or never",
            "End of its validity, such as 2027-01-31T12:00:00Z.")
        let use = Option<Bool>.flag(
            "use",
            "Authenticate the client by this credential from now on, in addition to others of its method. A secret and "
                + "credentials of other methods stop working.")
        return ObjectCommands.work(
            "add", "Register a public key or certificate for a client.",
            [client, key, certificate, subject, algorithm, keyID, name, expires, use],
            examples: [
                "private_key_jwt with this key from now on":
                    "countersign client credential add 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe --public-key agent.pub "
                    + "--algorithm ES256 --use",
                "mutual TLS with this certificate from now on":
                    "countersign client credential add 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe --certificate agent.crt --use",
            ]
        ) { target, invocation in
            var document: JSONObject = [:]
            switch (try invocation[key], try invocation[certificate], try invocation[subject]) {
            case (let path?, nil, nil):
                document = ["credential_type": "public_key", "pem": .string(try text(of: path))]
                document["alg"] = try invocation[algorithm].map(JSONValue.string)
                document["kid"] = try invocation[keyID].map(JSONValue.string)
            case (nil, let path?, nil):
                let pem = try text(of: path)
                guard let certificate = Certificate(pem: pem) else {
                    throw CommandFailure("\(path) holds no certificate in PEM")
                }
                document = ["credential_type": "x509_cert", "pem": .string(pem)]
                document["expires_at"] = .string(certificate.notAfter.iso8601)
            case (nil, nil, let name?): document = ["credential_type": "cert_subject_dn", "subject_dn": .string(name)]
            default:
                throw UsageError(
                    "one of --public-key, --certificate and --subject-dn is required, and only one of them")
            }
            if document["credential_type"] != "public_key" {
                for option in [algorithm, keyID] where try invocation[option] != nil {
                    throw UsageError("\(option.declaration.spelling) is for --public-key")
                }
            }
            document["name"] = try invocation[name].map(JSONValue.string)
            if let date = try invocation[expires] { document["expires_at"] = .string(date) }
            try await add(document, use: try invocation[use], target, invocation)
        }
    }

    private static func add(
        _ document: JSONObject, use: Bool, _ target: ObjectCommands.Target, _ invocation: Invocation
    ) async throws {
        let id = ClientID(try invocation[client])
        let made = try await target.installation.clientCredentials.create(document, for: id, on: target.context)
        let method = made.method
        let client = try await target.client(id)
        guard use else {
            invocation.output.note("the client does not use it yet: add --use")
            return try ObjectCommands.print(made.json(of: client), invocation)
        }
        let kept = client.authenticationMethod == method ? client.credentials.map(\.id) : []
        let changed: Client
        do {
            changed = try await self.use(kept + [made.id], of: method, client, target)
        } catch {
            // If the update is refused, the new credential is deleted again.
            try await target.installation.clientCredentials.remove(made.id, of: id, for: target.context)
            throw error
        }
        if client.usesSecret { invocation.output.note("the secret of \(id) no longer works") }
        try ObjectCommands.print(made.json(of: changed), invocation)
    }

    private static func use(
        _ credentials: [ClientCredentialID], of method: Client.AuthenticationMethod, _ client: Client,
        _ target: ObjectCommands.Target
    ) async throws -> Client {
        let named = credentials.map { JSONValue.object(["id": .string($0.rawValue)]) }
        let methods: JSONValue = .object([method.rawValue: ["credentials": .array(named)]])
        return try await target.clients.update(
            client.id, ["client_authentication_methods": methods], for: target.context
        ).client
    }

    private static var removeCredential: Command {
        let credential = Option<String>.argument("CREDENTIAL", .string, "Its credential, as the list shows it.")
        return ObjectCommands.work(
            "remove", "Remove a credential from a client. It stops working at once.",
            [client, credential],
            examples: [
                "after another one was added":
                    "countersign client credential remove 3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe cred_t4QxL0y3Yw9RkZ2mB7dNcA"
            ]
        ) { target, invocation in
            let client = try await target.client(ClientID(try invocation[client]))
            let id = ClientCredentialID(try invocation[credential])
            if client.credentials.contains(where: { $0.id == id }) {
                let others = client.credentials.map(\.id).filter { $0 != id }
                guard !others.isEmpty || client.jwks != nil || client.jwksURI != nil else {
                    throw CommandFailure(
                        "the client \(client.id) would have no credential left",
                        hint: "add another credential with --use first, or change its token_endpoint_auth_method")
                }
                _ = try await use(others, of: client.authenticationMethod, client, target)
            }
            try await target.installation.clientCredentials.remove(id, of: client.id, for: target.context)
            try ObjectCommands.printDeleted(id.rawValue, invocation)
        }
    }

    private static func text(of path: String) throws -> String { String(decoding: try readFile(path), as: UTF8.self) }
}

extension ObjectCommands.Detail {
    /// Nil for a client without credentials.
    static func credentials(of client: Client) -> ObjectCommands.Detail? {
        let credentials = client.credentials + client.unusedCredentials
        guard !credentials.isEmpty else { return nil }
        return ObjectCommands.Detail(
            name: "credentials", json: .array(credentials.map { .object($0.json(of: client)) }),
            lines: credentials.map { $0.summary(of: client) }, replaces: "client_authentication_methods")
    }
}

extension ClientCredential {
    /// Authentication method that uses this credential.
    fileprivate var method: Client.AuthenticationMethod {
        switch content {
        case .publicKey: .privateKeyJWT
        case .certificate: .selfSignedTLSClientAuth
        case .name: .tlsClientAuth
        }
    }

    /// The Management API's document, with `is_used`.
    fileprivate func json(of client: Client) -> JSONObject {
        var json = ManagementAPI.document(of: self)
        json["is_used"] = .bool(client.credentials.contains { $0.id == id })
        return json
    }

    fileprivate func summary(of client: Client) -> String {
        let json = json(of: client)
        var parts = [id.rawValue, method.rawValue]
        if let keyID = json["kid"]?.stringValue { parts.append("kid \(keyID)") }
        for member in ["alg", "subject_dn", "san_dns", "san_uri", "san_ip", "san_email"] {
            if let text = json[member]?.stringValue { parts.append(text) }
        }
        parts.append(expiresAt.map { "expires \($0.iso8601)" } ?? "without end")
        if json["is_used"] == false { parts.append("not used") }
        return parts.joined(separator: ", ")
    }
}
