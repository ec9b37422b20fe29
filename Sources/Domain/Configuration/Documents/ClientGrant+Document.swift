package import AuthorizationCore
package import Primitives

extension ClientGrant {
    package init?(_ fields: DocumentFields) {
        defer { fields.finish() }
        let subject: Subject? = fields.choice("subject_type")
        let scopes = fields.strings("scope").map(Set.init)
        let inert = fields.strings(Self.inertMember)
        let types = fields.strings("authorization_details_types").map(Set.init)
        let additional = fields.additional()
        guard let audience = fields.requiredString("audience", limit: 600) else { return nil }
        self.init(audience: audience, subject: subject, scopes: scopes, authorizationDetailsTypes: types)
        self.additional = additional
        scopesWithoutEffect = Set(inert ?? [])
    }

    /// Member for scopes without effect.
    package static let inertMember = "scope_without_effect"

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

    package var document: JSONObject {
        var document: JSONObject = ["audience": .string(audience)]
        if let scopes { document["scope"] = JSONValue(scopes.sorted()) }
        if !scopesWithoutEffect.isEmpty { document[Self.inertMember] = JSONValue(scopesWithoutEffect.sorted()) }
        document["subject_type"] = (subject?.rawValue).map(JSONValue.string)
        if let authorizationDetailsTypes {
            document["authorization_details_types"] = JSONValue(authorizationDetailsTypes.sorted())
        }
        if !additional.isEmpty { document["additional"] = .object(additional) }
        return document
    }
}
