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

    private static let answer = Operation.Answer(200, "The findings", .list(finding), example: example)

    var all: [ManagementRoute] {
        [
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
                ], answer: Self.answer
            ) { call in
                let claimed = try await domains.list(call.tenant).map(\.domain)
                let names = call.configuration.tenant.hosts + claimed
                guard let name = call.query["name"]?.stringValue else {
                    let unique = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
                    return try await findings(.all(names: Array(unique.prefix(Self.nameLimit))), call)
                }
                guard names.contains(name) else {
                    throw ManagementFailure.invalidQuery("is no name of the tenant", at: "name")
                }
                return try await findings(.name(name), call)
            },
            trial(
                "/health/phones", "ring_own_phones", "Ring your own phones",
                "The message wakes the app and shows nothing."
            ) {
                try await examine.ringPhones(of: $0, $1)
            },
            trial("/health/mail", "mail_oneself", "Mail yourself", "The mail goes to the caller's verified address.") {
                [try await examine.mail($0, $1)]
            },
        ]
    }

    private func findings(_ scope: HealthScope, _ call: ManagementCall) async throws -> ManagementAnswer {
        try await Self.list { try await examine.findings(scope, call.call.context) }
    }

    /// A trial of what reaches the person who asks.
    private func trial(
        _ path: String, _ id: String, _ summary: String, _ details: String,
        _ body: @escaping @Sendable (UserID, RequestContext) async throws -> [CredentialFinding]
    ) -> ManagementRoute {
        ManagementRoute(
            .post, path, id, summary, in: Self.group,
            details: "For people on the pages of administrators alone. \(details)", scopes: Self.trials,
            answer: Self.answer
        ) { call in
            guard case .person(let user) = call.context.actor else {
                throw ManagementFailure(403, "Only a person on the pages of administrators can try this")
            }
            return try await Self.list {
                try await body(user, call.call.context).map { HealthFinding("providers", $0) }
            }
        }
    }

    private static func list(_ body: () async throws -> [HealthFinding]) async throws -> ManagementAnswer {
        do {
            return list(try await body())
        } catch ExamineTenant.Failure.tooSoon {
            throw ManagementFailure(429, "You tried this a moment ago; wait 10 seconds")
        } catch ExamineTenant.Failure.busy {
            throw ManagementFailure(429, "Other examinations of the tenant are under way; wait a minute")
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
