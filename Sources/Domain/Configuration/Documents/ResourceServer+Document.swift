package import AuthorizationCore
import JOSE
import JSONSchema
import OAuthWire
package import Primitives

extension ResourceServer {
    package init?(_ fields: DocumentFields) {
        let identifier = fields.requiredString("identifier", limit: 600)
        guard let identifier else { return nil }
        self.init(identifier: identifier, name: fields.string("name") ?? identifier)
        for scope in fields.objects("scopes") {
            if let value = scope.requiredString("value") {
                if (try? ScopeSet(parsing: value))?.tokens != [value] {
                    scope.problem("value", "must be one scope token: printable ASCII without blanks and quotes")
                }
                scopes.append(Scope(value: value, description: scope.string("description", limit: 1000) ?? ""))
            }
            scope.finish()
        }
        for type in fields.objects("authorization_details") {
            if let name = type.requiredString("type") {
                authorizationDetailsTypes.append(
                    AuthorizationDetailsType(type: name, schemaSource: type.value("schema")))
            }
            type.finish()
        }
        signingAlgorithm = fields.signingAlgorithm("signing_alg") ?? .rs256
        tokenDialect = fields.choice("token_dialect") ?? .accessToken
        tokenLifetime = fields.integer(
            "token_lifetime", 1...ResourceServer.maximumTokenLifetime, default: tokenLifetime)
        allowsOfflineAccess = fields.bool("allow_offline_access", default: false)
        enforcesPolicies = fields.bool("enforce_policies", default: false)
        skipsFirstPartyConsent = fields.bool("skip_consent_for_verifiable_first_party_clients", default: true)
        if let policy = fields.string("consent_policy") {
            switch policy {
            case Self.transactionalMFA: requiresTransactionalMFA = true
            case "standard": break
            default: fields.problem("consent_policy", "must be standard or \(Self.transactionalMFA)")
            }
        }
        if let subjects = fields.object("subject_type_authorization") {
            if let user = subjects.object("user") {
                userPolicy = user.choice("policy") ?? userPolicy
                user.finish()
            }
            if let client = subjects.object("client") {
                clientPolicy = client.choice("policy") ?? clientPolicy
                client.finish()
            }
            subjects.finish()
        }
        additional = fields.additional()
    }

    /// Checks fields against each other. Stored documents are not checked again.
    package func check(path: String, _ problems: Problems) {
        let prefix = path.isEmpty ? "" : "\(path)."
        func unique(_ names: [String], _ member: (Int) -> String) {
            var seen: Set<String> = []
            for (index, name) in names.enumerated() where !seen.insert(name).inserted {
                problems.add(prefix + member(index), "\(name) is used twice")
            }
        }
        unique(scopes.map(\.value)) { "scopes[\($0)].value" }
        unique(authorizationDetailsTypes.map(\.type)) { "authorization_details[\($0)].type" }
    }

    /// Reports problems of schemas that need no compilation.
    package func checkSchemas(path: String, _ problems: Problems) {
        for (index, type) in authorizationDetailsTypes.enumerated() {
            guard let source = type.schemaSource else { continue }
            do throws(JSONSchema.Failure) {
                if let failure = SchemaRegistry.sizeFailure(JSONWriter.bytes(source)) { throw failure }
                _ = try JSONSchema.weight(of: source)
            } catch {
                problems.add("\(path).authorization_details[\(index)].schema", error.description)
            }
        }
    }

    private static var transactionalMFA: String { "transactional-authorization-with-mfa" }

    package var document: JSONObject {
        var document: JSONObject = [
            "identifier": .string(identifier), "name": .string(name),
            // An absent description reads as empty, and an empty one is omitted.
            "scopes": .array(
                scopes.map { scope in
                    var entry: JSONObject = ["value": .string(scope.value)]
                    if !scope.description.isEmpty { entry["description"] = .string(scope.description) }
                    return .object(entry)
                }),
            "authorization_details": .array(
                authorizationDetailsTypes.map { type in
                    var entry: JSONObject = ["type": .string(type.type)]
                    entry["schema"] = type.schemaSource
                    return .object(entry)
                }),
            "signing_alg": .string(signingAlgorithm.rawValue), "token_dialect": .string(tokenDialect.rawValue),
            "token_lifetime": .number(JSONNumber(tokenLifetime)),
            "allow_offline_access": .bool(allowsOfflineAccess), "enforce_policies": .bool(enforcesPolicies),
            "skip_consent_for_verifiable_first_party_clients": .bool(skipsFirstPartyConsent),
            "subject_type_authorization": [
                "user": ["policy": .string(userPolicy.rawValue)], "client": ["policy": .string(clientPolicy.rawValue)],
            ],
        ]
        if requiresTransactionalMFA { document["consent_policy"] = .string(Self.transactionalMFA) }
        if !additional.isEmpty { document["additional"] = .object(additional) }
        return document
    }
}

extension DocumentFields {
    /// Permissions; an absent list is empty.
    package func permissions(_ name: String) -> Set<Role.Permission> {
        var permissions: Set<Role.Permission> = []
        for permission in objects(name) {
            if let api = permission.requiredString("resource_server_identifier", limit: 600),
                let scope = permission.requiredString("permission_name")
            {
                permissions.insert(Role.Permission(resourceServer: api, scope: scope))
            }
            permission.finish()
        }
        return permissions
    }
}
