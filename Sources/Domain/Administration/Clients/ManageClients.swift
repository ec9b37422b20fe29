package import AuthorizationCore
package import Configuration
import JOSE
import OAuthWire
package import Primitives

/// Manages clients and their secrets.
package struct ManageClients: Sendable {
    /// A client with its newly generated secret. Shown once, because only its hash is stored.
    package struct WithSecret: Sendable {
        package let client: Client
        package let secret: SecretBytes?
    }

    let store: any ConfigurationStore
    let random: any RandomSource
    let hashing: any Hashing
    let keys: SigningKeySupply

    /// Sorted by id.
    package func list(_ tenant: TenantID) async throws -> [Client] {
        try await store.view(tenant) { try $0.all(Client.self) }
    }

    package func client(_ id: ClientID, of tenant: TenantID) async throws -> Client {
        try await store.view(tenant) { try $0.find(Client.self, id.rawValue) }.orUnknown(.client)
    }

    /// `document` has at least `name`. The client can ask users for APIs that allow every client, and has no access of
    /// its own without a grant.
    package func create(_ document: JSONObject, for context: AdministrativeContext) async throws -> WithSecret {
        let given = try Self.secret(in: document)
        try Self.refuseReserved(document)
        var document = document.patched(with: ["client_id": .string(Identifiers.client(random).rawValue)])
        document["client_secret"] = nil
        Self.setDefaults(&document)
        document = try Client.resolvingCredentials(of: document, known: [])
        var client = try Self.read(document).withCredentialsNamed(over: nil, hashing, now: context.now)
        let secret = client.usesSecret ? given ?? newSecret() : nil
        try Self.check(client, hasSecret: given != nil)
        client.secretHashes = secret.map { [hashing.sha256($0.bytes)] } ?? []
        let made = try await missingKeys(for: document, context)
        let created = client
        try await store.edit(for: context) { change in
            change.draft.put(created)
            change.record(.created, .client, created.id.rawValue)
            try change.put(made)
        }
        return WithSecret(client: client, secret: secret)
    }

    /// Replaces `patch`'s members; null deletes. Generates a secret if the client now needs one.
    package func update(_ id: ClientID, _ patch: JSONObject, for context: AdministrativeContext) async throws
        -> WithSecret
    {
        let given = try Self.secret(in: patch)
        try Self.refuseReserved(patch)
        var patch = patch
        patch["client_secret"] = nil
        let made = try await missingKeys(for: patch, context)
        let fresh = newSecret()
        let changes = patch
        return try await store.edit(for: context) { change in
            let old = try Self.client(id, change.draft)
            var client = try Self.read(
                Client.resolvingCredentials(of: Self.document(of: old, patched: changes), known: old.allCredentials),
                patch: changes, over: old
            ).withCredentialsNamed(over: old, hashing, now: context.now)
            let used = Set(client.credentials.map(\.id))
            client.unusedCredentials = old.allCredentials.filter { !used.contains($0.id) }
            try Self.check(client, hasSecret: given != nil)
            var secret = given
            if client.usesSecret {
                if given == nil, old.secretHashes.isEmpty { secret = fresh }
                client.secretHashes = secret.map { [hashing.sha256($0.bytes)] } ?? old.secretHashes
            } else {
                client.secretHashes = []
            }
            if !client.provesItself(as: old) { try change.requireRights(of: old) }
            change.draft.put(client)
            change.record(old, client)
            try change.put(made)
            return WithSecret(client: client, secret: secret)
        }
    }

    /// Replaces the client's secret. The old secret is invalid at once.
    package func rotateSecret(of id: ClientID, for context: AdministrativeContext) async throws -> WithSecret {
        let secret = newSecret()
        return try await store.edit(for: context) { change in
            let old = try Self.client(id, change.draft)
            guard old.usesSecret else {
                let method = old.authenticationMethod.rawValue
                throw AdministrationFailure.unsupported(
                    "This client has no secret: its token_endpoint_auth_method is \(method)")
            }
            var client = old
            client.secretHashes = [hashing.sha256(secret.bytes)]
            try change.requireRights(of: old)
            change.draft.put(client)
            change.record(old, client)
            return WithSecret(client: client, secret: secret)
        }
    }

    /// Also revokes the client's consents and refresh tokens.
    package func remove(_ id: ClientID, for context: AdministrativeContext) async throws {
        try await store.edit(for: context) { change in
            _ = try Self.client(id, change.draft)
            for old in try change.draft.all(LoginConnection.self) {
                guard old.enabledClients?.contains(id) == true else { continue }
                var connection = old
                connection.enabledClients?.remove(id)
                change.draft.put(connection)
            }
            change.remove(.client, id.rawValue)
            change.record(.removed, .client, id.rawValue)
        }
    }

    // MARK: helpers

    static func client(_ id: ClientID, _ draft: Draft) throws -> Client {
        try draft.find(Client.self, id.rawValue).orUnknown(.client)
    }

    /// 384 random bits in 64 characters.
    private func newSecret() -> SecretBytes { Identifiers.clientSecret(random) }

    private static func secret(in document: JSONObject) throws(AdministrationFailure) -> SecretBytes? {
        guard let value = document["client_secret"], !value.isNull else { return nil }
        guard let text = value.stringValue, text.utf8.count >= ConfigurationFile.secretMinimum else {
            throw .invalid(
                "client_secret", "must have at least \(ConfigurationFile.secretMinimum) bytes; generate it at random")
        }
        return SecretBytes(utf8: text)
    }

    /// Refuses members that cannot be set here.
    private static func refuseReserved(_ document: JSONObject) throws(AdministrationFailure) {
        let problems: [DocumentProblem] = [
            ("client_id", "is made by the server"), ("tenant", "cannot be changed"), ("global", "cannot be changed"),
            ("client_grants", "is changed through client-grants"),
            ("limited_to_grants", "is changed through client-grants"),
            ("unused_credentials", "is changed through credentials"),
            ("additional", "must be omitted; its members belong to the document itself"),
        ].compactMap { name, message in
            document[name] == nil ? nil : DocumentProblem(path: name, message: message)
        }
        if !problems.isEmpty { throw .invalid(problems) }
    }

    /// Sets Auth0's defaults for missing members that this server supports.
    private static func setDefaults(_ document: inout JSONObject) {
        let type = document["app_type"]?.stringValue.flatMap(Client.ApplicationType.init)
        let isPublic = type == .native || type == .spa
        if document["token_endpoint_auth_method"] == nil, isPublic,
            document["client_authentication_methods"] == nil
        {
            document["token_endpoint_auth_method"] = "none"
        }
        if document["grant_types"] == nil {
            var grants: [GrantType] = [.authorizationCode, .refreshToken, .clientCredentials]
            if document["token_endpoint_auth_method"] == "none" { grants.removeLast() }
            if type == .nonInteractive { grants = [.clientCredentials] }
            document["grant_types"] = JSONValue(grants.map(\.rawValue))
        }
    }

    /// Applies a patch to a client's document. `client_metadata` and `jwt_configuration` are merged.
    private static func document(of old: Client, patched patch: JSONObject) -> JSONObject {
        let before = old.flatDocument
        var document = before.patched(with: patch)
        // Either sets the method, so it clears the other.
        let method = "token_endpoint_auth_method", methods = "client_authentication_methods"
        if patch[methods]?.objectValue != nil, patch[method] == nil { document[method] = nil }
        if patch[method]?.stringValue != nil, patch[methods] == nil { document[methods] = nil }
        for name in ["client_metadata", "jwt_configuration"] {
            guard let inner = patch[name]?.objectValue else { continue }
            document[name] = .object((before[name]?.objectValue ?? [:]).patched(with: inner))
        }
        return document
    }

    private static func read(
        _ document: JSONObject, patch: JSONObject = [:], over stored: Client? = nil
    ) throws(AdministrationFailure) -> Client {
        let unprotected = unprotected(document)
        guard unprotected.isEmpty else { throw .invalid(unprotected) }
        return try DocumentFields.openEntity(document, patch: patch, over: stored, taking: .clients) {
            Client($0, secretHashes: [])
        }
    }

    /// Refuses protections that this server lacks. If it ignored them, operators would believe they were in force.
    private static func unprotected(_ document: JSONObject) -> [DocumentProblem] {
        var problems: [DocumentProblem] = []
        func refuse(_ path: String, _ reason: String, when isWanted: Bool) {
            guard isWanted else { return }
            problems.append(DocumentProblem(path: path, message: "is not supported: \(reason)"))
        }
        func isText(_ name: String, besides harmless: [String] = []) -> Bool {
            document[name]?.stringValue.map { !harmless.contains($0) } ?? false
        }
        refuse(
            "require_proof_of_possession",
            "tokens are bound only to certificates: set tls_client_certificate_bound_access_tokens",
            when: document["require_proof_of_possession"] == true)
        refuse(
            "signed_request_object.required", "requests are pushed instead",
            when: document["signed_request_object"]?["required"] == true)
        refuse(
            "compliance_level", "no profile is enforced as a whole; require its parts",
            when: isText("compliance_level", besides: ["none"]))
        refuse("organization_usage", "there are no organizations", when: document["organization_usage"] == "require")
        for (name, quota) in document["token_quota"]?.objectValue ?? [:] {
            refuse(
                "token_quota.\(name).enforce", "tokens are not counted",
                when: quota.objectValue.map { $0["enforce"] != false } ?? false)
        }
        refuse(
            "third_party_security_mode", "a client is treated as it is configured",
            when: document["third_party_security_mode"] == "strict")
        refuse(
            "redirection_policy", "browsers return to the client's callbacks",
            when: document["redirection_policy"] == "open_redirect_protection")
        return problems
    }

    private static func check(_ client: Client, hasSecret: Bool) throws(AdministrationFailure) {
        let problems = Problems()
        client.check(path: "", hasSecret: hasSecret, problems)
        if client.notificationChannels != nil, client.isPublic || !client.grantTypes.contains(.ciba) {
            problems.add(
                "async_approval_notification_channels",
                "needs a confidential client with the grant type \(GrantType.ciba.rawValue); null removes it")
        }
        if !problems.list.isEmpty { throw .invalid(problems.list) }
    }

    private func missingKeys(for document: JSONObject, _ context: AdministrativeContext) async throws -> [SigningKey] {
        let name = document["jwt_configuration"]?["alg"]?.stringValue
        guard let algorithm = name.flatMap(JWSAlgorithm.init(rawValue:)), signingAlgorithms.contains(algorithm) else {
            return []
        }
        let stored = try await store.view(context.tenant) { try $0.signingKeys() }
        return try keys.missing([algorithm], among: stored, tenant: context.tenant, now: context.now)
    }
}

extension ConfigurationChange {
    /// Records the fields that changed. For secrets, records only that they changed.
    mutating func record(_ old: Client, _ new: Client) {
        var fields = new.document.differences(from: old.document)
        if new.secretHashes != old.secretHashes { fields.append("client_secret") }
        if !fields.isEmpty { record(.changed, .client, new.id.rawValue, fields: fields) }
    }

    /// Stores generated keys that are still missing.
    mutating func put(_ made: [SigningKey]) throws {
        for key in try SigningKeySupply.put(made, in: &draft) {
            record(.created, .key, key.id.rawValue)
        }
    }
}

extension Managers {
    package var clients: ManageClients { ManageClients(store: store, random: random, hashing: hashing, keys: supply) }
}
