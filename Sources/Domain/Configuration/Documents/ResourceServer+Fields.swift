package import AuthorizationCore
import JSONSchema
import OAuthWire
import Primitives

extension ResourceServer: Described {
    private static let transactionalMFA = "transactional-authorization-with-mfa"

    package static let fields = Fields<ResourceServer> {
        Field.key("identifier", .text(1...600), "Audience of its tokens; unique in the tenant") { $0.identifier }.option
        Field("name", protects: .nothing, .text(), \.name, "Name of the API, for people").preset("the identifier")
            .option
        Field(
            "scopes", protects: .identity(create: ["create:resource_servers"], update: ["update:resource_servers"]),
            FieldType<[Scope]>.objects(0...1000, new: Scope(value: "", description: "")) {
                scope, fields in
                if (try? ScopeSet(parsing: scope.value))?.tokens != [scope.value] {
                    fields.problem("value", "must be one scope token: printable ASCII without blanks and quotes")
                }
            }, \.scopes, "Scopes of its tokens"
        )
        Field(
            "authorization_details", protects: .nothing,
            .objects(0...100, new: AuthorizationDetailsType(type: "", schemaSource: nil)),
            \.authorizationDetailsTypes, "Types of authorization details that the API accepts (RFC 9396)")
        Field(
            "evidence", protects: .evidence, .choice, \.evidence,
            "`signed-digest`: accept approvals only from phones that sign the digest of the request, and refuse logins "
                + "for the API. `passkey`: the phone's passkey must verify the user, too"
        )
        .option
        Field(
            "approval_in_tokens", protects: .evidence, .flag, \.carriesApproval,
            "Access tokens carry `approval` with the id and the digest of the approved request")
        Field("signing_alg", protects: .nothing, .signingAlgorithm, \.signingAlgorithm, "Algorithm of access tokens")
        Field("token_dialect", protects: .nothing, .choice, \.tokenDialect, "Claims of access tokens")
        Field(
            "token_lifetime", protects: .nothing, .integer(1...maximumTokenLifetime), \.tokenLifetime,
            "Lifetime of access tokens in seconds")
        Field(
            "allow_offline_access", protects: .nothing, .flag, \.allowsOfflineAccess,
            "Issue refresh tokens for the scope `offline_access`, to clients with the grant `refresh_token`")
        Field(
            "enforce_policies", protects: .identity(update: ["update:roles"]), .flag, \.enforcesPolicies,
            "Restrict scopes to the permissions of the user's roles")
        Field(
            "consent_policy", protects: .person, .choice(["standard", transactionalMFA]),
            words: "`standard` or `\(transactionalMFA)`",
            "`\(transactionalMFA)` refuses CIBA requests, and requires each login to be confirmed on a phone that shows its "
                + "details",
            read: { fields, api, _ in
                switch fields.string("consent_policy") {
                case transactionalMFA: api.requiresTransactionalMFA = true
                case "standard", nil: break
                default: fields.problem("consent_policy", "must be standard or \(transactionalMFA)")
                }
            },
            write: { if $0.requiresTransactionalMFA { $1["consent_policy"] = .string(transactionalMFA) } }
        ).preset("`standard`")
        Field(
            "skip_consent_for_verifiable_first_party_clients", protects: .person, .flag, \.skipsFirstPartyConsent,
            "Do not ask for consent in the browser for first-party clients; `false` by default in the Management API")
        Field.group(
            "subject_type_authorization", protects: .identity(update: ["update:client_grants"]),
            Fields {
                Field.group(
                    "user", protects: .covered(.identity),
                    Fields {
                        Field(
                            "policy", protects: .covered(.identity), .choice, \.userPolicy,
                            "Clients that may get tokens for users"
                        )
                        .preset("`allow_all`")
                    })
                Field.group(
                    "client", protects: .covered(.identity),
                    Fields {
                        Field(
                            "policy", protects: .covered(.identity), .choice, \.clientPolicy,
                            "Clients that may get tokens for themselves"
                        )
                        .preset("`require_client_grant`")
                    })
            }, "Clients that may get tokens for users and for themselves")
        Field(
            "additional", protects: .nothing, .additional, \.additional,
            "Further members, which the Management API stores and returns"
        )
        .fileOnly
    }

    package init?(_ fields: DocumentFields) {
        guard let identifier = fields.requiredString("identifier", limit: 600) else { return nil }
        self.init(identifier: identifier, name: identifier)
        Self.fields.read(fields, into: &self)
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
}

extension ResourceServer.Scope: Described {
    package static let fields = Fields<ResourceServer.Scope> {
        Field(
            "value", protects: .covered(.identity), .text(), \.value,
            "One scope token: printable ASCII without blanks, quotes and backslashes"
        )
        .required
        Field("description", protects: .nothing, .text(0...1000), \.description, "Shown to the user").preset("none")
    }
}

extension ResourceServer.AuthorizationDetailsType: Described {
    package static let fields = Fields<ResourceServer.AuthorizationDetailsType> {
        Field("type", protects: .nothing, .text(), \.type).required
        Field(
            "schema", protects: .nothing,
            FieldType<JSONValue>(.anyObject, "JSON Schema (2020-12)", read: { $0.value($1) }, write: { $0 }),
            \.schemaSource, "Every object of the type must match it; at most 64 KiB, see below")
        Field(
            "evidence", protects: .evidence, .choice, \.evidence,
            "As `evidence` of the API, for requests with details of the type. The strongest demand counts")
        Field(
            "matching", protects: .person, .choice, \.matching, "Number matching for requests with details of the type")
        Field(
            "urgent", protects: .person, .boolean,
            "Phones make a sound for requests with details of the type even in the person's quiet hours",
            read: { fields, type, _ in type.isUrgent = fields.flag("urgent") ?? false },
            // As Auth0 has no such member, types without it are answered as Auth0 does.
            write: { if $0.isUrgent { $1["urgent"] = true } }
        ).preset("`false`")
    }
}

extension ResourceServer: StoredEntity {
    package static let storedKind = TenantDocument.Kind.resourceServer
    package var storedID: String { identifier }

    package init?(_ fields: DocumentFields, of stored: TenantDocument) { self.init(fields) }
}
