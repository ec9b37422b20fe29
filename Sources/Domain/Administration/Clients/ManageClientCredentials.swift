package import AuthorizationCore
package import Configuration
package import Primitives
import X509

/// Manages clients' credentials other than secrets. A credential takes effect once its client's
/// `client_authentication_methods` names it.
package struct ManageClientCredentials: Sendable {
    let store: any ConfigurationStore
    let random: any RandomSource
    let hashing: any Hashing

    /// Oldest first.
    package func list(of client: ClientID, in tenant: TenantID) async throws -> [ClientCredential] {
        try await store.view(tenant) { try $0.find(Client.self, client.rawValue).orUnknown(.client).allCredentials }
            .sorted { ($0.createdAt, $0.id.rawValue) < ($1.createdAt, $1.id.rawValue) }
    }

    package func credential(
        _ id: ClientCredentialID, of client: ClientID, in tenant: TenantID
    ) async throws -> ClientCredential {
        try await list(of: client, in: tenant).first { $0.id == id }.orUnknown(.credential)
    }

    /// `document` has `credential_type` and its members.
    package func create(_ document: JSONObject, for client: ClientID, on context: AdministrativeContext) async throws
        -> ClientCredential
    {
        let id = Identifiers.clientCredential(random)
        let read = try ClientCredential.read(wire: document.patched(with: ["id": .string(id.rawValue)]))
        if let end = read.expiresAt, end <= context.now {
            throw AdministrationFailure.invalid("expires_at", "must be in the future")
        }
        return try await store.edit(for: context) { change in
            let old = try ManageClients.client(client, change.draft)
            guard old.allCredentials.count < Client.credentialLimit else {
                throw AdministrationFailure.unsupported(
                    "A client has \(Client.credentialLimit) credentials at most; remove one first")
            }
            let credential = read.named(among: [], hashing, now: context.now)
            // Assertions name keys by `kid`: another `kid` makes another credential.
            guard !old.allCredentials.contains(where: { $0.content == credential.content }) else {
                throw AdministrationFailure.conflict(.credential, same: "content")
            }
            var new = old
            new.unusedCredentials.append(credential)
            change.draft.put(new)
            change.record(.created, .credential, id.rawValue)
            return credential
        }
    }

    /// Nil means never.
    package func update(
        _ id: ClientCredentialID, expiresAt: Timestamp?, of client: ClientID, for context: AdministrativeContext
    ) async throws -> ClientCredential {
        try await store.edit(for: context) { change in
            let old = try ManageClients.client(client, change.draft)
            var credential = try old.allCredentials.first { $0.id == id }.orUnknown(.credential)
            credential.expiresAt = expiresAt
            var new = old
            if old.credentials.contains(where: { $0.id == id }) { try change.requireRights(of: old) }
            new.credentials = old.credentials.map { $0.id == id ? credential : $0 }
            new.unusedCredentials = old.unusedCredentials.map { $0.id == id ? credential : $0 }
            change.draft.put(new)
            change.record(.changed, .credential, id.rawValue, fields: ["expires_at"])
            return credential
        }
    }

    /// Refuses credentials in use.
    package func remove(_ id: ClientCredentialID, of client: ClientID, for context: AdministrativeContext) async throws
    {
        try await store.edit(for: context) { change in
            let old = try ManageClients.client(client, change.draft)
            guard old.allCredentials.contains(where: { $0.id == id }) else {
                throw AdministrationFailure.unknown(.credential)
            }
            guard !old.credentials.contains(where: { $0.id == id }) else {
                throw AdministrationFailure.unsupported(
                    "client_authentication_methods of the client names this credential; change that first")
            }
            var new = old
            new.unusedCredentials.removeAll { $0.id == id }
            change.draft.put(new)
            change.record(.removed, .credential, id.rawValue)
        }
    }
}

extension Client {
    /// Converts a client's `document` to the stored form of credentials. An entry names a credential by id alone, or
    /// describes it as the Management API does.
    static func resolvingCredentials(
        of document: JSONObject, known: [ClientCredential]
    ) throws(AdministrationFailure) -> JSONObject {
        guard let methods = document["client_authentication_methods"]?.objectValue else { return document }
        var resolved = methods
        for (method, value) in methods {
            guard let list = value["credentials"]?.arrayValue else { continue }
            var credentials: [JSONValue] = []
            for (index, entry) in list.enumerated() {
                guard let entry = entry.objectValue else { continue }
                if let id = entry["id"]?.stringValue {
                    guard let credential = known.first(where: { $0.id.rawValue == id }) else {
                        throw .invalid(
                            "client_authentication_methods.\(method).credentials[\(index)].id",
                            "\(id) is no credential of this client")
                    }
                    credentials.append(.object(credential.document))
                } else {
                    var described = entry
                    described["credential_type"] =
                        described["credential_type"]
                        ?? .string(ClientCredential.type(of: method))
                    // New: neither id nor date.
                    var document = try ClientCredential.read(wire: described).document
                    document["id"] = nil
                    document["created_at"] = nil
                    credentials.append(.object(document))
                }
            }
            var inner = value.objectValue ?? [:]
            inner["credentials"] = .array(credentials)
            resolved[method] = .object(inner)
        }
        var document = document
        document["client_authentication_methods"] = .object(resolved)
        return document
    }
}

extension ClientCredential {
    /// Reads the Management API's form: `credential_type` with `pem`, `subject_dn` and so on.
    static func read(wire document: JSONObject) throws(AdministrationFailure) -> ClientCredential {
        var document = document
        let type = document["credential_type"]?.stringValue
        let pem = document["pem"]?.stringValue
        let method: Client.AuthenticationMethod
        switch type {
        case "public_key": method = .privateKeyJWT
        case "x509_cert": method = .selfSignedTLSClientAuth
        case "cert_subject_dn": method = .tlsClientAuth
        default:
            throw .invalid("credential_type", "must be public_key, x509_cert or cert_subject_dn")
        }
        document["credential_type"] = nil
        if document["parse_expiry_from_cert"] == true {
            guard let pem, let certificate = Certificate(pem: pem) else {
                throw .invalid("parse_expiry_from_cert", "needs a certificate as pem")
            }
            document["expires_at"] = .string(certificate.notAfter.iso8601)
        }
        document["parse_expiry_from_cert"] = nil
        return try DocumentFields.entity(document) { ClientCredential($0, of: method) }
    }

    static func type(of method: String) -> String {
        switch Client.AuthenticationMethod(rawValue: method) {
        case .tlsClientAuth: "cert_subject_dn"
        case .selfSignedTLSClientAuth: "x509_cert"
        default: "public_key"
        }
    }
}

extension Managers {
    package var clientCredentials: ManageClientCredentials {
        ManageClientCredentials(store: store, random: random, hashing: hashing)
    }
}
