import AuthorizationCore
import HTTPModel
import JOSE
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
            let client = try await target.get("/clients/{id}", try invocation[client])
            try ObjectCommands.print(
                ObjectCommands.Listing(try await target.credentials(of: client)),
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
        _ document: JSONObject, use: Bool, _ target: ManagedTenant, _ invocation: Invocation
    ) async throws {
        let id = try invocation[client]
        let made = try await target.send(.post, "/clients/{client_id}/credentials", [id], document)
        let client = try await target.get("/clients/{id}", id)
        guard use else {
            invocation.output.note("the client does not use it yet: add --use")
            return try ObjectCommands.print(made.used(by: client), invocation)
        }
        let method = made.method
        let kept = client.usedCredentials(of: method)
        let changed: JSONObject
        do {
            changed = try await self.use(kept + [made.id], of: method, client, target)
        } catch {
            // If the update is refused, the new credential is deleted again.
            try await target.send(.delete, "/clients/{client_id}/credentials/{id}", [id, made.id])
            throw error
        }
        if client.usesSecret { invocation.output.note("the secret of \(id) no longer works") }
        try ObjectCommands.print(made.used(by: changed), invocation)
    }

    private static func use(
        _ credentials: [String], of method: Client.AuthenticationMethod, _ client: JSONObject, _ target: ManagedTenant
    ) async throws -> JSONObject {
        let named = credentials.map { JSONValue.object(["id": .string($0)]) }
        let methods: JSONValue = .object([method.rawValue: ["credentials": .array(named)]])
        return try await target.send(
            .patch, "/clients/{id}", [client["client_id"]?.stringValue ?? ""],
            ["client_authentication_methods": methods])
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
            let name = try invocation[client]
            let client = try await target.get("/clients/{id}", name)
            let id = try invocation[credential]
            // Fails for an unknown credential, which removal alone would ignore.
            let known = try await target.get("/clients/{client_id}/credentials/{id}", name, id)
            let used = client.usedCredentials(of: known.method)
            if used.contains(id) {
                let others = used.filter { $0 != id }
                guard !others.isEmpty || client["jwks"] != nil || client["jwks_uri"] != nil else {
                    throw CommandFailure(
                        "the client \(name) would have no credential left",
                        hint: "add another credential with --use first, or change its token_endpoint_auth_method")
                }
                _ = try await use(others, of: known.method, client, target)
            }
            try await target.send(.delete, "/clients/{client_id}/credentials/{id}", [name, id])
            try ObjectCommands.printDeleted(id, invocation)
        }
    }

    private static func text(of path: String) throws -> String { String(decoding: try readFile(path), as: UTF8.self) }
}

extension ManagedTenant {
    /// The client's credentials, oldest first, each with `is_used`.
    func credentials(of client: JSONObject) async throws -> [JSONObject] {
        try await all("/clients/{client_id}/credentials", client["client_id"]?.stringValue ?? "")
            .map { $0.used(by: client) }
    }
}

extension ObjectCommands.Detail {
    /// Nil for a client without credentials.
    static func credentials(_ credentials: [JSONObject], of client: JSONObject) -> ObjectCommands.Detail? {
        guard !credentials.isEmpty else { return nil }
        return ObjectCommands.Detail(
            name: "credentials", json: .array(credentials.map(JSONValue.object)),
            lines: credentials.map(\.credentialSummary), replaces: "client_authentication_methods")
    }
}

/// The Management API's documents of clients and of their credentials.
extension JSONObject {
    fileprivate var id: String { self["id"]?.stringValue ?? "" }

    /// Authentication method that uses this credential.
    fileprivate var method: Client.AuthenticationMethod {
        switch self["credential_type"]?.stringValue {
        case "x509_cert": .selfSignedTLSClientAuth
        case "cert_subject_dn": .tlsClientAuth
        default: .privateKeyJWT
        }
    }

    /// Ids of the credentials by which a client authenticates.
    fileprivate func usedCredentials(of method: Client.AuthenticationMethod) -> [String] {
        let used = self["client_authentication_methods"]?[method.rawValue]?["credentials"]?.arrayValue ?? []
        return used.compactMap { $0["id"]?.stringValue }
    }

    fileprivate var usesSecret: Bool {
        ["client_secret_post", "client_secret_basic"].contains(self["token_endpoint_auth_method"]?.stringValue)
    }

    fileprivate func used(by client: JSONObject) -> JSONObject {
        var json = self
        json["is_used"] = .bool(client.usedCredentials(of: method).contains(id))
        return json
    }

    fileprivate var credentialSummary: String {
        var parts = [id, method.rawValue]
        if let keyID = self["kid"]?.stringValue { parts.append("kid \(keyID)") }
        for member in ["alg", "subject_dn", "san_dns", "san_uri", "san_ip", "san_email"] {
            if let text = self[member]?.stringValue { parts.append(text) }
        }
        parts.append(self["expires_at"]?.stringValue.map { "expires \($0)" } ?? "without end")
        if self["is_used"] == false { parts.append("not used") }
        return parts.joined(separator: ", ")
    }
}
