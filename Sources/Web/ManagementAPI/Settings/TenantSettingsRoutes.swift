import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

struct TenantSettingsRoutes: Sendable {
    private static let group = RouteGroup("Tenant", scopes: "tenant_settings")

    let settings: ManageTenantSettings

    private static let details = """
        These settings take effect: `friendly_name` (the tenant's name), `picture_url` (the same as \
        `branding.logo_url`), `session_lifetime` and `idle_session_lifetime` (hours or fractions of hours), and all \
        settings of the file of `apply`, some of which Auth0 does not have. Other settings are stored and returned \
        without effect. Objects are merged, and null resets a setting to its default.
        """

    /// Hours, as whole seconds. The minimum is 60 seconds.
    private static let hours = Shape(["type": "number", "minimum": .number(hoursMinimum), "maximum": 8766])
    private static let hoursMinimum = JSONNumber(1.0 / 60) ?? JSONNumber(1)

    private static let known: [Member] = [
        Member("friendly_name", .text(1...255), "Name of the tenant, shown to people").protecting(.nothing),
        Member("picture_url", .text(0...2048), "`https` URL of the logo").protecting(.nothing),
        Member("support_email", .text(0...255), "For templates of mails").protecting(.nothing),
        Member("default_directory", .text(0...255)).withoutEffect,
        Member("enabled_locales", .list(.text(2...35), 1...100), "The hosted pages have every language").withoutEffect,
        Member("session_lifetime", hours, "Maximum lifetime of a browser session in hours")
            .protecting(.person, [ResourceServer.personScope]),
        Member("idle_session_lifetime", hours, "Maximum idle time of a browser session in hours")
            .protecting(.person, [ResourceServer.personScope]),
        Member("flags", .anyObject).withoutEffect,
        Member("session_cookie", opened("mode", .choice(["persistent", "non-persistent"]))).withoutEffect,
        Member("oidc_logout", opened("rp_logout_end_session_endpoint_discovery", .boolean)).withoutEffect,
        Member("mtls", opened("enable_endpoint_aliases", .boolean)).withoutEffect,
    ]

    private static func opened(_ name: String, _ shape: Shape) -> Shape {
        .object([Member(name, shape).protecting(.nothing)], isOpen: true)
    }

    /// Fields of `TenantSettings` that are in seconds there and in hours here.
    private static let lifetimes = ["session_lifetime", "session_idle_lifetime"]

    private static func shape(_ use: FieldUse) -> Shape {
        let own = TenantSettings.fields.members(use).filter { !lifetimes.contains($0.name) }
        return .object((use == .update ? known.map(\.clearable) : known) + own, isOpen: true)
            .taking(withoutEffect: Auth0Members.tenantSettings.all)
    }

    private static let example: JSONValue = [
        "friendly_name": "Example Bank", "session_lifetime": 168, "idle_session_lifetime": 72, "poll_interval": 5,
        "push_enabled": true, "flags": [:],
    ]

    var all: [ManagementRoute] {
        let answer = Operation.Answer(200, "The settings", Self.shape(.whole), example: Self.example)
        return [
            ManagementRoute(
                .get, "/tenants/settings", "get_tenant_settings", "Show the tenant's settings", in: Self.group,
                details: Self.details, parameters: Projection.parameters, answer: answer
            ) { call in .object(try await settings.settings(of: call.tenant)) },
            ManagementRoute(
                .patch, "/tenants/settings", "update_tenant_settings", "Change the tenant's settings", in: Self.group,
                details: Self.details,
                body: Operation.Body(
                    Self.shape(.update), example: ["session_lifetime": 12, "support_email": "help@example.com"]),
                answer: answer
            ) { call in .object(try await settings.update(call.document, for: call.context)) },
        ]
    }
}
