import AuthorizationCore
import Configuration
import Localization
import Primitives

/// A tenant's settings as one document. Shared settings have Auth0's names.
struct TenantSettingsDocument {
    var tenant: Tenant
    /// Settings without effect.
    var kept: JSONObject

    /// Auth0 gives session lifetimes in hours, this server in seconds.
    private static let hours = [
        "session_lifetime": "session_lifetime", "idle_session_lifetime": "session_idle_lifetime",
    ]

    /// Texts without a default, under the same names in the document. At Auth0, an empty text means none.
    private static let texts = [
        "default_audience", "support_url", "privacy_url", "terms_url", "default_redirection_uri",
    ]

    /// Settings with the same name here and in the document.
    private static let shared: Set<String> = {
        let names = TenantSettings().document.members.map(\.name)
        return Set(names + texts + ["allowed_logout_urls", "branding", "approval_app"]).subtracting(hours.values)
    }()

    var json: JSONObject {
        let own = tenant.settings.document
        var json: JSONObject = ["friendly_name": .string(tenant.name)]
        for (name, ownName) in Self.hours.sorted(by: { $0.key > $1.key }) {
            json[name] = own[ownName]?.intValue.flatMap { JSONNumber(Double($0) / 3600) }.map(JSONValue.number)
        }
        json["picture_url"] = tenant.settings.branding.logoURL.map(JSONValue.string)
        json["allowed_logout_urls"] = []
        for (name, value) in own where Self.shared.contains(name) { json[name] = value }
        json["enabled_locales"] = JSONValue(Language.allCases.map(\.rawValue))
        json["flags"] = [:]
        // Earlier versions kept unsupported settings here.
        for (name, value) in kept where !Self.shared.contains(name) { json[name] = value }
        return json
    }

    func patched(with given: JSONObject) throws(AdministrationFailure) -> TenantSettingsDocument {
        let patch = try TenantSettings.fields.renamed(given)
        try Self.refuseUnknown(patch, beside: kept)
        var own = JSONObject()
        var further = JSONObject()
        var name: JSONValue?
        for (member, value) in patch {
            if let ownName = Self.hours[member] {
                own[ownName] = Self.seconds(value)
            } else if member == "friendly_name" {
                name = value
            } else if member == "picture_url" {
                var branding = patch["branding"]?.objectValue ?? [:]
                branding["logo_url"] = value
                own["branding"] = .object(branding)
            } else if member == "branding", patch["picture_url"] != nil {
                continue
            } else if Self.texts.contains(member), value == "" {
                own[member] = .null
            } else if Self.shared.contains(member) {
                own[member] = value
            } else {
                further[member] = value
            }
        }
        var new = self
        let settings = tenant.settings.following(own, in: tenant.settings.document.merged(with: own))
        try Self.checkSession(settings)
        new.tenant.settings = try DocumentFields.entity(settings) { TenantSettings($0) }
        if let name { new.tenant.name = try Self.name(name) ?? tenant.id.rawValue }
        new.kept = kept.merged(with: further)
        for name in Self.shared { new.kept[name] = nil }
        guard JSONWriter.bytes(.object(new.kept)).count <= ManageTenantSettings.keptLimit else {
            throw .invalid("", "settings that are only kept have at most \(ManageTenantSettings.keptLimit) bytes")
        }
        return new
    }

    /// Settings that Auth0 has and that are stored, some of which have an effect elsewhere.
    private static let stored = [
        "support_email", "default_directory", "enabled_locales", "flags", "session_cookie", "oidc_logout", "mtls",
    ]

    /// Refuses settings that neither this server nor Auth0 has, unless an earlier version stored them.
    private static func refuseUnknown(_ patch: JSONObject, beside kept: JSONObject) throws(AdministrationFailure) {
        let known = Self.shared.union(hours.keys).union(stored).union(["friendly_name", "picture_url"])
        let problems = patch.compactMap { name, _ -> DocumentProblem? in
            if known.contains(name) || Auth0Members.tenantSettings.contains([name]) || kept[name] != nil { return nil }
            return DocumentProblem(path: name, message: Spelling.unknownField(name, among: known.sorted()))
        }
        if !problems.isEmpty { throw .invalid(problems) }
    }

    private static func seconds(_ value: JSONValue) -> JSONValue {
        guard let hours = value.doubleValue, hours.magnitude < 1e9 else { return value }
        return .number(JSONNumber(Int((hours * 3600).rounded())))
    }

    private static func checkSession(_ settings: JSONObject) throws(AdministrationFailure) {
        let preset = TenantSettings()
        let lifetime = settings["session_lifetime"]?.intValue ?? preset.sessionLifetime
        if let idle = settings["session_idle_lifetime"]?.intValue, idle > lifetime {
            throw .invalid("idle_session_lifetime", "must not be longer than session_lifetime")
        }
    }

    private static func name(_ value: JSONValue) throws(AdministrationFailure) -> String? {
        if value.isNull { return nil }
        return try DocumentFields.entity(["friendly_name": value]) { $0.requiredString("friendly_name") }
    }
}
