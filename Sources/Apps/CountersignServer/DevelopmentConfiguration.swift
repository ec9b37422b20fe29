import Audit
package import AuthorizationCore
import Configuration
import Files
import OAuthWire
import OpenSSLCrypto
package import Primitives

/// The tenant that the first start on an empty database creates, with two APIs, a user, and three clients: an agent, an
/// app and an operator's program. The data folder keeps its names and secrets for later starts and for commands.
package struct DevelopmentConfiguration: Sendable {
    package static let tenant = TenantID("dev")
    package static let audience = "https://api.example.com"
    /// Fixed, so that examples can name the user.
    package static let user = UserID("auth0|48616e6e6120486572776974")
    package static let email = "hanna.herwitz@example.com"
    /// The public client that users log in to.
    package static let appClientID = ClientID("app")
    /// The client that manages the tenant over the Management API.
    package static let operatorClientID = ClientID("operator")
    package static let localHost = "localhost"

    /// `iss` of the tenant's tokens, with a slash at its end.
    package let issuer: String
    package let clientID: ClientID
    package let clientSecret: SecretBytes
    /// Password of the user. Nil if a version without login created the tenant.
    package let password: SecretBytes?
    /// Secret of `operatorClientID`. Nil if a version without the Management API created the tenant.
    package let operatorSecret: SecretBytes?
    /// False if an earlier start created the tenant.
    package let isNew: Bool

    /// Creates the development tenant if the database has no tenant, and moves the one of an earlier start to `host` and
    /// `port`. Nil means that the database has only other tenants.
    package static func prepare(
        _ installation: Installation, host: String, port: UInt16, now: Timestamp
    ) async throws -> DevelopmentConfiguration? {
        let tenants = try await installation.store.tenants().map(\.tenant)
        let kept = try read(folder: installation.dataFolder)
        let development = DevelopmentConfiguration(
            issuer: "https://\(host):\(port)/",
            clientID: kept?.clientID ?? Identifiers.client(SystemRandom()),
            clientSecret: kept?.clientSecret ?? newSecret(),
            password: kept?.password ?? (tenants.isEmpty ? SecretBytes(utf8: newPassword()) : nil),
            operatorSecret: kept?.operatorSecret ?? (tenants.isEmpty ? newSecret() : nil),
            isNew: tenants.isEmpty)
        if tenants.isEmpty {
            // The secrets are written first: after a crash before the next step, the next start uses that file.
            try development.write(installation)
            let file = try ConfigurationFile(
                parsing: JSONWriter.bytes(development.document(host: "\(host):\(port)")), now: now,
                secret: { source in if case .text(let text) = source { SecretBytes(utf8: text) } else { nil } })
            _ = try await installation.configurationApplier().apply(file, prune: false, by: .system, now: now)
            return development
        }
        guard let kept, let tenant = tenants.first(where: { $0.id == Self.tenant }), let own = tenant.hosts.first,
            [host, localHost, kept.host].contains(name(of: own))
        else { return nil }
        if own != "\(host):\(port)" {
            let context = AdministrativeContext(tenant: tenant.id, actor: .system, now: now)
            try await installation.store.edit(for: context) { change in
                var moved = tenant
                moved.hosts = ["\(host):\(port)"] + tenant.hosts.dropFirst()
                change.draft.put(moved)
                for old in try change.draft.all(Client.self) {
                    var client = old
                    client.grants = old.grants.map {
                        $0.audience == tenant.managementAudience ? $0.moved(to: moved.managementAudience) : $0
                    }
                    if client != old { change.draft.put(client) }
                }
                for old in try change.draft.all(Role.self) {
                    var role = old
                    role.permissions = Set(
                        old.permissions.map { held in
                            var held = held
                            if held.resourceServer == tenant.managementAudience {
                                held.resourceServer = moved.managementAudience
                            }
                            return held
                        })
                    if role != old { change.draft.put(role) }
                }
            }
        }
        if kept.issuer != development.issuer { try development.write(installation) }
        return development
    }

    /// True if `prepare` would create a development tenant in the data folder, or has created one.
    package static func isWanted(by installation: Installation) async throws -> Bool {
        if try read(folder: installation.dataFolder) != nil { return true }
        return try await installation.store.tenants().isEmpty
    }

    /// The host of the issuer without its port.
    private var host: String { Self.name(of: issuer.dropFirst("https://".count)) }

    private static func name(of authority: some StringProtocol) -> String { String(authority.prefix { $0 != ":" }) }

    private static func newSecret() -> SecretBytes { SecretBytes(utf8: Base64URL.encode(SystemRandom().bytes(32))) }

    /// Creates a password that is easy to type: 75 bits in letters and digits.
    private static func newPassword() -> String {
        let letters = Base32.encode(SystemRandom().bytes(10)).lowercased().prefix(15)
        return stride(from: 0, to: letters.count, by: 5)
            .map { String(letters.dropFirst($0).prefix(5)) }.joined(separator: "-")
    }

    // MARK: the file

    private static func path(_ folder: String) -> String { "\(folder)/development.json" }

    /// The values that an earlier start stored in a data folder. Nil means that there are none.
    /// - Throws: `FileFailure` or `Unreadable`.
    package static func read(folder: String) throws -> DevelopmentConfiguration? {
        let path = path(folder)
        guard PrivateFile.exists(path) else { return nil }
        guard let value = try? JSONReader.parse(PrivateFile.readSecret(path).bytes),
            let issuer = value["issuer"]?.stringValue, let client = value["client_id"]?.stringValue,
            let secret = value["client_secret"]?.stringValue
        else { throw Unreadable(path: path) }
        return DevelopmentConfiguration(
            issuer: issuer, clientID: ClientID(client), clientSecret: SecretBytes(utf8: secret),
            password: value["password"]?.stringValue.map(SecretBytes.init(utf8:)),
            operatorSecret: value["operator_client_secret"]?.stringValue.map(SecretBytes.init(utf8:)), isNew: false)
    }

    private struct Unreadable: Error, CustomStringConvertible {
        let path: String

        var description: String {
            "\(path) was not written by a development server; remove it, or restore it from a copy"
        }
    }

    private func write(_ installation: Installation) throws {
        var content: JSONObject = [
            "issuer": .string(issuer), "tenant": .string(Self.tenant.rawValue), "audience": .string(Self.audience),
            "user_id": .string(Self.user.rawValue), "client_id": .string(clientID.rawValue),
            "client_secret": .string(String(decoding: clientSecret.bytes, as: UTF8.self)),
        ]
        if let password {
            content["app_client_id"] = .string(Self.appClientID.rawValue)
            content["email"] = .string(Self.email)
            content["password"] = .string(String(decoding: password.bytes, as: UTF8.self))
        }
        if let operatorSecret {
            content["operator_client_id"] = .string(Self.operatorClientID.rawValue)
            content["operator_client_secret"] = .string(String(decoding: operatorSecret.bytes, as: UTF8.self))
        }
        try PrivateFile.store(
            SecretBytes(JSONWriter.bytes(.object(content)) + [UInt8(ascii: "\n")]),
            to: Self.path(installation.dataFolder))
    }

    // MARK: the configuration

    private func document(host: String) -> JSONValue {
        let management = "https://\(host)\(EndpointPath.management.rawValue)/"
        let scopes: [(String, JSONValue)] = [
            ("read:profile", "Read your profile"), ("write:profile", "Change your profile"),
        ]
        return [
            "tenants": [
                [
                    "id": .string(Self.tenant.rawValue), "name": "Countersign Development",
                    "host": .string(host),
                    // One user tries things out here. The default of five a minute protects people from unwanted
                    // requests. Auth0's narrow alphabet is for clients that change servers.
                    "settings": [
                        "requests_per_minute_per_user": 600, "actions_per_minute": 600, "rejections_before_pause": 100,
                        "binding_message_alphabet": "unicode",
                        "authorization_details_limits": .object(
                            AgentTools.raised([:]) ?? [:]),
                    ],
                    "apis": [
                        [
                            "identifier": .string(Self.audience), "name": "Payments",
                            "scopes": .array(scopes.map { ["value": .string($0.0), "description": $0.1] }),
                            "authorization_details": [["type": "money_transfer", "schema": Self.paymentSchema]],
                            "enforce_policies": true, "allow_offline_access": true,
                        ],
                        .object(AgentTools.document),
                    ],
                    "roles": [
                        [
                            "id": "customer", "name": "Customer",
                            "permissions": .array(
                                scopes.map {
                                    [
                                        "resource_server_identifier": .string(Self.audience),
                                        "permission_name": .string($0.0),
                                    ]
                                }),
                        ],
                        [
                            "id": .string(Administrators.roleID.rawValue),
                            "name": .string(Administrators.roleName),
                            "permissions": .array(
                                ResourceServer.managementScopes.map {
                                    [
                                        "resource_server_identifier": .string(management),
                                        "permission_name": .string($0),
                                    ]
                                }),
                        ],
                    ],
                    "users": [
                        [
                            "user_id": .string(Self.user.rawValue), "name": "Hanna Herwitz", "given_name": "Hanna",
                            "family_name": "Herwitz", "email": .string(Self.email), "email_verified": true,
                            "password": password.map { .string(String(decoding: $0.bytes, as: UTF8.self)) } ?? .null,
                            "roles": ["customer", .string(Administrators.roleID.rawValue)],
                        ]
                    ],
                    "clients": [
                        [
                            "client_id": .string(clientID.rawValue), "name": "Shopping agent",
                            "client_secret": .string(String(decoding: clientSecret.bytes, as: UTF8.self)),
                            "grant_types": [.string(GrantType.ciba.rawValue), "refresh_token"],
                            // An agent's call waits for a person who sleeps.
                            "allow_long_push": true,
                        ],
                        [
                            "client_id": .string(Self.appClientID.rawValue), "name": "Example app",
                            "token_endpoint_auth_method": "none", "app_type": "native",
                            "grant_types": ["authorization_code", "refresh_token"],
                            "callbacks": ["http://127.0.0.1/callback", "com.example.app://callback"],
                        ],
                        [
                            "client_id": .string(Self.operatorClientID.rawValue), "name": "Operator's program",
                            "client_secret": operatorSecret.map {
                                .string(String(decoding: $0.bytes, as: UTF8.self))
                            } ?? .null,
                            "grant_types": ["client_credentials"],
                            "client_grants": [
                                [
                                    "audience": .string(management)
                                ]
                            ],
                        ],
                    ],
                ]
            ]
        ]
    }

    /// Accepts the documented payment example and similar payments.
    private static let paymentSchema: JSONValue = [
        "type": "object",
        "required": ["type", "instructedAmount", "destinationAccount", "beneficiary"],
        "properties": [
            "type": ["const": "money_transfer"],
            "instructedAmount": [
                "type": "object", "required": ["amount", "currency"],
                "properties": [
                    "amount": ["type": "number", "exclusiveMinimum": 0],
                    "currency": ["type": "string", "pattern": "^[A-Z]{3}$"],
                ],
                "additionalProperties": false,
            ],
            "sourceAccount": ["type": "string", "minLength": 1, "maxLength": 64],
            "destinationAccount": ["type": "string", "minLength": 1, "maxLength": 64],
            "beneficiary": ["type": "string", "minLength": 1, "maxLength": 140],
            "subject": ["type": "string", "maxLength": 140],
        ],
        "additionalProperties": false,
    ]
}
