package import AuthorizationCore
import JSONSchema
import Primitives

extension ClientGrant: Described {
    /// Member for scopes without effect.
    package static let inertMember = "scope_without_effect"

    /// Fields of a grant in its client's document. The Management API has `client_id` beside them.
    package static let fields = Fields<ClientGrant> {
        Field.key("audience", .text(1...600), "Identifier of the API") { $0.audience }
        Field(
            "subject_type", protects: .covered(.identity), .choice(Subject.allCases.map(\.rawValue)),
            words: "`client` or `user`",
            "`client`: for the client's own tokens; `user`: for tokens of users",
            write: { $1["subject_type"] = ($0.subject?.rawValue).map(JSONValue.string) }
        ).preset("both")
        Field(
            "scope", protects: .identity(create: ["create:client_grants"], update: ["update:client_grants"]),
            .sortedTexts, \.scopes,
            "Scopes of the API. For the Management API, the caller's own scopes at most; scopes that only Auth0 has are "
                + "stored without effect"
        ).shaped(.list(.text(1...255), 0...1000, unique: true)).preset("every scope")
        Field(
            "allow_all_scopes",
            protects: .identity(create: ["create:client_grants"], update: ["update:client_grants"]), .boolean,
            "Every scope of the API, including later ones"
        ).apiOnly
        Field(
            "authorization_details_types",
            protects: .identity(create: ["create:client_grants"], update: ["update:client_grants"]), .sortedTexts,
            \.authorizationDetailsTypes,
            "Types of authorization details that the client may request, if it needs a grant"
        ).shaped(.list(.text(1...255), 0...100)).preset("every type")
        Field(
            inertMember, protects: .nothing, .sortedTexts.omitted { $0.isEmpty }, \.scopesWithoutEffect,
            "Scopes without effect"
        )
        .fileOnly
        Field.kept("organization_usage", .choice(["deny", "allow", "require"]), "There are no organizations")
            .withoutEffect
        Field.kept("allow_any_organization", .boolean, "There are no organizations").withoutEffect
        Field("additional", protects: .nothing, .additional, \.additional, "Further members, which have no effect")
            .fileOnly
    }

    package init?(_ fields: DocumentFields) {
        defer { fields.finish() }
        let subject: Subject? = fields.choice("subject_type")
        let audience = fields.requiredString("audience", limit: 600)
        self.init(audience: audience ?? "", subject: subject, scopes: nil, authorizationDetailsTypes: nil)
        Self.fields.read(fields, into: &self)
        if audience == nil { return nil }
    }

    /// The grant in stored form. Scopes that Auth0's Management API documents but this server lacks are accepted
    /// without effect. They stay so in later versions that have them, until granted again.
    package func settled(managementAudience: String) -> ClientGrant {
        guard audience == managementAudience, let named = scopes else { return self }
        let inert = named.subtracting(ResourceServer.managementScopes).filter(Auth0Scopes.documents)
        var grant = self
        grant.scopes = named.subtracting(inert)
        grant.scopesWithoutEffect.formUnion(inert)
        return grant
    }

    /// Stored order of grants, so that equal lists have equal documents.
    package static func precedes(_ left: ClientGrant, _ right: ClientGrant) -> Bool {
        (left.audience, left.subject?.rawValue ?? "") < (right.audience, right.subject?.rawValue ?? "")
    }
}

extension FieldType where Value == Set<String> {
    fileprivate static var sortedTexts: FieldType { FieldType<[String]>.texts().mapped({ Set($0) }, { $0.sorted() }) }
}
