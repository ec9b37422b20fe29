import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives
import Routing

/// `/tenants/configuration`: the tenant as a file of `countersign apply`.
struct ConfigurationRoutes: Sendable {
    private static let group = RouteGroup("Tenant", scopes: "tenant_settings")
    private static let path = "/tenants/configuration"

    let settings: ManageTenantSettings
    let files: ApplyTenantFile

    /// Scopes that show each part of a tenant.
    private static let readingAll = [
        "read:tenant_settings", "read:custom_domains", "read:resource_servers", "read:roles", "read:clients",
        "read:client_credentials", "read:client_grants", "read:connections", "read:guardian_factors",
        "read:email_provider", "read:email_templates",
    ]

    private static let file: JSONValue = [
        "tenants": [["id": "shop", "name": "Example Shop", "host": "id.shop.example"]]
    ]

    private static let change = Shape.object([
        .required("action", .choice(ApplyConfiguration.Change.Action.allCases.map(\.rawValue))),
        .required("kind", .text()), .required("tenant", .text()), .required("name", .text()),
        .required("fields", .list(.text()), "Names of changed fields, never values"),
        Member("note", .text(), "Reason why the object has no effect"),
        Member(
            "not_compared", .list(.text()),
            "Names of secrets in the file that a dry run without every scope does not compare with the stored ones"),
    ])

    private static let changed: JSONValue = [
        "action": "changed", "kind": "client", "tenant": "shop", "name": "agent", "fields": ["callbacks"],
    ]

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .get, Self.path, "get_tenant_configuration", "Show the tenant as a file of countersign apply",
                in: Self.group,
                details: """
                    The file has no users, keys and secrets. Applied again, it changes nothing. `ETag` is the version of \
                    the configuration, for `If-Match`. It changes with all that a file has, secrets too, but not with \
                    users.
                    """,
                scopes: [Self.readingAll],
                answer: Operation.Answer(
                    200, "The file", .object([.required("tenants", .list(.anyObject, 1...1))]), example: Self.file),
                show),
            ManagementRoute(
                .put, Self.path, "apply_tenant_configuration", "Apply a file of countersign apply to the tenant",
                in: Self.group,
                details: """
                    Does what `countersign apply` does, in one change: an error in the file changes nothing, and applying \
                    it again changes nothing. The file has this tenant alone, with its secrets as texts, and at most \
                    \(ApplyTenantFile.passwordLimit) passwords. `host` and `custom_domains` must stay as they are. It may \
                    change everything, so it needs every scope of this API. With `dry_run=true` it needs these scopes \
                    alone, and `read:users` for a file with users; without every scope, no secret is compared.
                    """,
                scopes: [Self.readingAll],
                parameters: [
                    Operation.Parameter("dry_run", in: .query, .boolean, "Show the changes without making them"),
                    Operation.Parameter(
                        "prune", in: .query, .boolean,
                        "Remove APIs, roles, clients, connections and services that the file does not name"),
                    Operation.Parameter(
                        "If-Match", in: .header, .text(),
                        "Versions in quotation marks, with commas between them, of which the configuration must have one"
                    ),
                ],
                body: Operation.Body(
                    .object([Member.required("tenants", .list(.anyObject, 1...1)).protecting(.identity)]),
                    example: Self.file),
                answer: Operation.Answer(
                    200, "Changes that were made, or would be",
                    .object([
                        .required("changes", .list(Self.change)),
                        .required("version", .text(), "Version of the configuration now; `ETag` has it, too"),
                    ]),
                    example: ["changes": [Self.changed], "version": "1f0c9b7a52e84d36a1f0c9b7a52e84d3"]),
                refusals: [(412, "The configuration has none of the versions of `If-Match`; nothing was changed")],
                apply),
        ]
    }

    @Sendable private func show(_ call: ManagementCall) async throws -> ManagementAnswer {
        // First, so that a change meanwhile makes it an old one.
        let version = try await files.version(of: call.tenant)
        return .value(.object(try await settings.file(of: call.tenant)), fields: Self.tag(version))
    }

    @Sendable private func apply(_ call: ManagementCall) async throws -> ManagementAnswer {
        var options = ApplyConfiguration.Options(
            prune: call.query["prune"]?.boolValue ?? false, dryRun: call.query["dry_run"]?.boolValue ?? false)
        options.versions = try Self.versions(call.call.request.fields["If-Match"])
        do {
            let outcome = try await files.apply(call.document, options, for: call.context)
            return .value(
                ["changes": .array(outcome.changes.map(\.json)), "version": .string(outcome.version)],
                fields: Self.tag(outcome.version))
        } catch is ApplyConfiguration.Moved {
            throw ManagementFailure(
                412, "The configuration was changed since that version; look at the changes again with dry_run=true",
                code: "configuration_changed")
        }
    }

    // MARK: versions

    private static func tag(_ version: String) -> HTTPFields { ["ETag": "\"\(version)\""] }

    /// Entity tags of If-Match (RFC 9110 clause 13.1.1). Nil takes any version. A weak tag matches none.
    private static func versions(_ field: String?) throws(ManagementFailure) -> Set<String>? {
        guard let field else { return nil }
        if field == "*" { return nil }
        var versions: Set<String> = []
        let elements = field.split(separator: ",").filter { !$0.allSatisfy { $0 == " " || $0 == "\t" } }
        for element in elements.isEmpty ? [""] : elements {
            let tag = element.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
            let text = String(tag)
            let isWeak = text.hasPrefix("W/")
            let quoted = isWeak ? String(text.dropFirst(2)) : text
            guard quoted.count >= 2, quoted.hasPrefix("\""), quoted.hasSuffix("\"") else {
                throw ManagementFailure(
                    400, "If-Match must have versions in quotation marks, with commas between them",
                    code: "invalid_header")
            }
            if !isWeak { versions.insert(String(quoted.dropFirst().dropLast())) }
        }
        return versions
    }
}
