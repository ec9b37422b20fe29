package import AuthorizationCore
package import Primitives

extension RefreshTokenPolicy {
    /// Maximum token lifetime in seconds: a year.
    package static let longestLifetime = 31_557_600

    private enum RotationType: String, CaseIterable {
        case rotating
        case nonRotating = "non-rotating"
    }

    private enum ExpirationType: String, CaseIterable {
        case expiring
        case nonExpiring = "non-expiring"
    }

    /// Reads Auth0's `refresh_token` of an application. Tokens without expiry get the maximum lifetime.
    package init(_ fields: DocumentFields) {
        self.init()
        rotates = fields.choice("rotation_type", of: RotationType.self).map { $0 == .rotating }
        leeway = fields.numericText("leeway", 0...86_400) ?? leeway
        lifetime = fields.numericText("token_lifetime", 1...Self.longestLifetime)
        idleLifetime = fields.numericText("idle_token_lifetime", 1...Self.longestLifetime)
        let expires = fields.choice("expiration_type", of: ExpirationType.self) != .nonExpiring
        if fields.bool("infinite_token_lifetime", default: false) || !expires { lifetime = Self.longestLifetime }
        if fields.bool("infinite_idle_token_lifetime", default: false) || !expires { idleLifetime = nil }
        if let lifetime, let idleLifetime, idleLifetime > lifetime {
            fields.problem("idle_token_lifetime", "must not be longer than token_lifetime, \(lifetime)")
        }
        fields.finish()
    }

    package var document: JSONObject {
        var document = JSONObject()
        document["rotation_type"] = rotates.map { .string(($0 ? RotationType.rotating : .nonRotating).rawValue) }
        document["leeway"] = .number(JSONNumber(leeway))
        document["token_lifetime"] = lifetime.map { .number(JSONNumber($0)) }
        document["idle_token_lifetime"] = idleLifetime.map { .number(JSONNumber($0)) }
        return document
    }
}
