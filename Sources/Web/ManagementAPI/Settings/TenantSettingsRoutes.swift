import APIDescription
import Administration
import HTTPModel
import Primitives

/// `/tenants/settings`.
struct TenantSettingsRoutes: Sendable {
    private static let tag = "Tenant"

    let settings: ManageTenantSettings

    private static let details = """
        What the server acts on: `friendly_name` (the tenant's name), `picture_url` (the same as `branding.logo_url`), \
        `default_audience`, `allowed_logout_urls`, `support_url`, `privacy_url`, `terms_url`, `default_redirection_uri`, \
        `session_lifetime` and `idle_session_lifetime` (hours, also parts of \
        one), and its own settings, which Auth0 has not, such as `poll_interval` and `multi_factor`. Everything else is \
        kept and shown, and changes nothing. Objects are merged, and null gives a setting its default again.
        """

    /// Hours, as whole seconds. The minimum is 60 seconds.
    private static let hours = Shape(["type": "number", "minimum": .number(hoursMinimum), "maximum": 8766])
    private static let hoursMinimum = JSONNumber(1.0 / 60) ?? JSONNumber(1)
    private static let url = Shape.text(0...2048)

    private static let known: [Member] = [
        Member("friendly_name", .text(1...255), "The tenant's name, shown to people"),
        Member("picture_url", url, "An https URL of the logo"), Member("support_email", .text(0...255)),
        Member("support_url", url, "An https URL of help, to which the pages link"),
        Member("privacy_url", url, "An https URL of the privacy notice, to which the pages link"),
        Member("terms_url", url, "An https URL of the terms of use, to which the pages link"),
        Member("default_redirection_uri", url, "An https URL where people go on if no client is known"),
        Member("default_audience", .text(0...600), "The audience of a request that names none"),
        Member("default_directory", .text(0...255)),
        Member("enabled_locales", .list(.text(2...35), 1...100), "The hosted pages speak English and French"),
        Member("allowed_logout_urls", .list(url, 0...100)),
        Member("session_lifetime", hours, "Hours a browser stays logged in at most"),
        Member("idle_session_lifetime", hours, "Hours a browser stays logged in without being used"),
        Member("flags", .anyObject),
        Member(
            "session_cookie", .object([Member("mode", .choice(["persistent", "non-persistent"]))], isOpen: true)),
        Member("oidc_logout", .object([Member("rp_logout_end_session_endpoint_discovery", .boolean)], isOpen: true)),
        Member("mtls", .object([Member("enable_endpoint_aliases", .boolean)], isOpen: true)),
        Member("poll_interval", .integer(1...60), "Seconds a client waits between two polls"),
        Member("require_proof_key", .boolean, "Requires PKCE of every client, also of confidential ones"),
    ]

    /// Settings that also have operations below `/guardian`. They require the same scopes here.
    private static let guarded: [(member: Member, scope: String)] = [
        (
            Member(
                "multi_factor", .choice(["never", "when-enrolled", "always"]),
                "Whom a login asks for a second factor"), "update:mfa_policies"
        ), (Member("push_enabled", .boolean, "Whether requests may reach phones"), "update:guardian_factors"),
    ]

    private static let shape = Shape.object((known + guarded.map(\.member)).map(\.clearable), isOpen: true)
    private static let update = Shape.object(
        known.map(\.clearable) + guarded.map { $0.member.clearable.needing([$0.scope]) }, isOpen: true)
    private static let example: JSONValue = [
        "friendly_name": "Example Bank", "session_lifetime": 168, "idle_session_lifetime": 72, "poll_interval": 5,
        "push_enabled": true, "flags": [:],
    ]

    var all: [ManagementRoute] {
        let answer = Operation.Answer(200, "The settings", Self.shape, example: Self.example)
        return [
            ManagementRoute(
                .get, "/tenants/settings", "get_tenant_settings", "Show the tenant's settings", tag: Self.tag,
                details: Self.details, scopes: [["read:tenant_settings"]], parameters: Projection.parameters,
                answer: answer
            ) { call in .object(try await settings.settings(of: call.tenant)) },
            ManagementRoute(
                .patch, "/tenants/settings", "update_tenant_settings", "Change the tenant's settings", tag: Self.tag,
                details: Self.details, scopes: [["update:tenant_settings"]],
                body: Operation.Body(
                    Self.update, example: ["session_lifetime": 12, "support_email": "help@example.com"]),
                answer: answer
            ) { call in .object(try await settings.update(call.document, for: call.context)) },
        ]
    }
}
