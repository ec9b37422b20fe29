import APIDescription
import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import HTTPModel
import JSONSchema
import Primitives
import Routing

/// `/health`: what a tenant depends on outside the store, and trials of what reaches the administrator who asks.
struct HealthRoutes: Sendable {
    let examine: ExamineTenant
    let domains: ManageCustomDomains

    private static let group = RouteGroup("Health", scopes: "tenant_settings")
    /// Findings tell of all of these.
    private static let scopes = [
        [
            "read:tenant_settings", "read:custom_domains", "read:email_provider", "read:guardian_factors",
            "read:signing_keys",
        ]
    ]
    /// Trials go to the caller alone, as requests that try a client do.
    private static let trials = [["create:approvals"]]

    /// Names that are examined at once.
    private static let nameLimit = 20

    private static let finding = Shape.object([
        .required("check", .text(), "Kind of the check, such as `keys`, `dns` or `providers`"),
        .required("subject", .text(), "The thing that was examined"),
        .required("state", .choice(CredentialFinding.State.allCases.map(\.rawValue))),
        .required("finding", .text()),
        Member("advice", .text(), "Remedy; absent if there is nothing to do"),
    ])
    private static let example: JSONValue = [
        ["check": "dns", "subject": "id.example.com", "state": "ok", "finding": "192.0.2.1"]
    ]

    var all: [ManagementRoute] {
        let answer = Operation.Answer(200, "The findings", .list(Self.finding), example: Self.example)
        return [
            ManagementRoute(
                .get, "/health", "get_health", "Examine the tenant's keys, certificates, names and providers",
                in: Self.group,
                details: """
                    As `countersign doctor` does for one tenant. Names include claimed custom domains. It contacts the \
                    tenant's providers and hosts, one after the other, so it may take some seconds; requests within a \
                    minute share a result. With `name` it examines one of the names alone.
                    """,
                scopes: Self.scopes,
                parameters: [
                    Operation.Parameter("name", in: .query, .text(1...255), "A host or a custom domain of the tenant")
                ], answer: answer
            ) { call in
                let claimed = try await domains.list(call.tenant).map(\.domain)
                let names = call.configuration.tenant.hosts + claimed
                guard let name = call.query["name"]?.stringValue else {
                    let unique = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
                    return Self.list(
                        await examine.findings(.all(names: Array(unique.prefix(Self.nameLimit))), call.call.context))
                }
                guard names.contains(name) else {
                    throw ManagementFailure.invalidQuery("is no name of the tenant", at: "name")
                }
                return Self.list(await examine.findings(.name(name), call.call.context))
            },
            ManagementRoute(
                .post, "/health/phones", "ring_own_phones", "Ring your own phones", in: Self.group,
                details:
                    "For people on the pages of administrators alone. The message wakes the app and shows nothing.",
                scopes: Self.trials, answer: answer
            ) { call in
                try await Self.trying(call) { user in
                    try await examine.ringPhones(of: user, call.call.context).map { HealthFinding("providers", $0) }
                }
            },
            ManagementRoute(
                .post, "/health/mail", "mail_oneself", "Mail yourself", in: Self.group,
                details:
                    "For people on the pages of administrators alone. The mail goes to the caller's verified address.",
                scopes: Self.trials, answer: answer
            ) { call in
                try await Self.trying(call) { user in
                    [HealthFinding("providers", try await examine.mail(user, call.call.context))]
                }
            },
        ]
    }

    private static func trying(
        _ call: ManagementCall, _ body: (UserID) async throws -> [HealthFinding]
    ) async throws -> ManagementAnswer {
        guard case .person(let user) = call.context.actor else {
            throw ManagementFailure(403, "Only a person on the pages of administrators can try this")
        }
        do {
            return list(try await body(user))
        } catch ExamineTenant.Failure.tooSoon {
            throw ManagementFailure(429, "You tried this a moment ago; wait 10 seconds")
        } catch ExamineTenant.Failure.noAddress {
            throw ManagementFailure(400, "You have no verified e-mail address")
        }
    }

    private static func list(_ findings: [HealthFinding]) -> ManagementAnswer {
        .value(
            .array(
                findings.map { found in
                    var object: JSONObject = [
                        "check": .string(found.check), "subject": .string(found.finding.subject),
                        "state": .string(found.finding.state.rawValue), "finding": .string(found.finding.text),
                    ]
                    if let advice = found.finding.advice { object["advice"] = .string(advice) }
                    return .object(object)
                }))
    }
}
