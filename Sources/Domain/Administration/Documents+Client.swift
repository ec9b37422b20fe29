public import AuthorizationCore
public import JOSE
import OAuthWire
public import Primitives

/// The algorithms that tokens are signed with here.
public let signingAlgorithms: [JWSAlgorithm] = [.rs256, .ps256, .es256, .edDSA]

extension DocumentFields {
    /// One of `signingAlgorithms`.
    func signingAlgorithm(_ name: String) -> JWSAlgorithm? {
        guard let text = string(name) else { return nil }
        guard let algorithm = JWSAlgorithm(rawValue: text), signingAlgorithms.contains(algorithm) else {
            problem(name, "must be one of \(signingAlgorithms.map(\.rawValue).joined(separator: ", "))")
            return nil
        }
        return algorithm
    }
}

extension Client {
    /// Reads a client without its secret, whose hashes are `secretHashes`.
    init?(_ fields: DocumentFields, secretHashes: [[UInt8]]) {
        let id = fields.requiredString("client_id", limit: 128)
        let name = fields.requiredString("name")
        guard let id, let name else { return nil }
        self.init(id: ClientID(id), name: name, secretHashes: secretHashes)
        authenticationMethod = fields.choice("token_endpoint_auth_method") ?? .clientSecretPost
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
            notificationChannels = channels.enumerated().compactMap { index, text in
                let channel = NotificationChannel(rawValue: text)
                if channel == nil {
                    fields.problem(
                        "async_approval_notification_channels[\(index)]", "must be one of guardian-push, email")
                }
                return channel
            }
        }
        if let configuration = fields.object("jwt_configuration") {
            idTokenAlgorithm = configuration.signingAlgorithm("alg") ?? .rs256
            idTokenLifetime = configuration.integer("lifetime_in_seconds", 1...2_592_000, default: idTokenLifetime)
            configuration.finish()
        }
        if fields.value("client_grants") != nil {
            var read: [String: Set<String>?] = [:]
            for grant in fields.objects("client_grants") {
                if let audience = grant.requiredString("audience") {
                    read.updateValue(grant.strings("scope").map(Set.init), forKey: audience)
                }
                grant.finish()
            }
            grants = read
        }
    }

    /// What was configured, without the secret.
    public var document: JSONObject {
        var document: JSONObject = [
            "client_id": .string(id.rawValue), "name": .string(name),
            "token_endpoint_auth_method": .string(authenticationMethod.rawValue),
            "grant_types": JSONValue(grantTypes.map(\.rawValue).sorted()), "is_first_party": .bool(isFirstParty),
            "oidc_conformant": .bool(oidcConformant), "allow_long_push": .bool(allowsLongPush),
            "jwt_configuration": [
                "alg": .string(idTokenAlgorithm.rawValue), "lifetime_in_seconds": .number(JSONNumber(idTokenLifetime)),
            ],
        ]
        if let notificationChannels {
            document["async_approval_notification_channels"] = JSONValue(notificationChannels.map(\.rawValue))
        }
        if let grants {
            document["client_grants"] = .array(
                grants.sorted { $0.key < $1.key }.map { audience, scopes in
                    var grant: JSONObject = ["audience": .string(audience)]
                    if let scopes { grant["scope"] = JSONValue(scopes.sorted()) }
                    return .object(grant)
                })
        }
        return document
    }
}
