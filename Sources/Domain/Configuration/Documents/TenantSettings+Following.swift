package import AuthorizationCore
package import Primitives

extension TenantSettings {
    /// `merged`, the document of these settings after `change`. A shorter `session_lifetime` shortens an idle time that the
    /// change does not name.
    package func following(_ change: JSONObject, in merged: JSONObject) -> JSONObject {
        guard change["session_idle_lifetime"] == nil,
            let lifetime = merged["session_lifetime"]?.intValue, sessionIdleLifetime > lifetime
        else { return merged }
        var following = merged
        following["session_idle_lifetime"] = .number(JSONNumber(lifetime))
        return following
    }
}
