import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/guardian/factors` and `/guardian/policies`: the second factors, and which logins require one.
struct GuardianRoutes: Sendable {
    static let group = RouteGroup("Guardian", scopes: "guardian_factors")
    private static let policyGroup = RouteGroup("Guardian", scopes: "mfa_policies")
    private static let selection = "/guardian/factors/push-notification/selected-provider"

    let guardian: ManageGuardian

    private static let enabled = Shape.object([Member.required("enabled", .boolean).protecting(.person)])
    private static let policies = Shape.list(.choice(ManageGuardian.Policy.allCases.map(\.rawValue)), 0...2)
    private static let provider = Shape.object([
        Member.required("provider", FieldType<PushServices.Selection>.choice.shape).protecting(.person)
    ])

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/guardian/factors", "list_guardian_factors", "List factors and their states", in: Self.group,
                answer: Operation.Answer(
                    200, "The factors, always all of them in this order",
                    .list(
                        .object([
                            .required("name", .choice(GuardianFactor.allCases.map(\.rawValue))),
                            .required("enabled", .boolean), .required("trial_expired", .boolean),
                        ])), example: [["name": "push-notification", "enabled": true, "trial_expired": false]])
            ) { call in
                .value(
                    .array(
                        try await guardian.factors(of: call.tenant).map { factor, isEnabled in
                            ["name": .string(factor.rawValue), "enabled": .bool(isEnabled), "trial_expired": false]
                        }))
            },
            ManagementRoute(
                .put, "/guardian/factors/{name}", "set_guardian_factor", "Switch a factor on or off", in: Self.group,
                details: """
                    `push-notification` is the setting `push_enabled` of the tenant: while it is off, no request reaches \
                    a phone. `otp` is on for whoever has enrolled a device, because each device makes one-time \
                    passwords. The server has no other factor: switching one on is refused with \
                    `operation_not_supported`.
                    """, body: Operation.Body(Self.enabled, example: ["enabled": true]),
                answer: Operation.Answer(200, "The new value", Self.enabled, example: ["enabled": true]), setFactor),
            ManagementRoute(
                .get, Self.selection, "get_push_provider_selection", "Show the push provider", in: Self.group,
                answer: Operation.Answer(200, "The provider", Self.provider, example: ["provider": "guardian"])
            ) { call in
                let provider = try await guardian.notificationProvider(of: call.tenant)
                return .object(["provider": .string(provider.rawValue)])
            },
            ManagementRoute(
                .put, Self.selection, "select_push_provider", "Select the push provider", in: Self.group,
                details: "For notifications. Phones with their own channel to this server use it with every provider.",
                body: Operation.Body(Self.provider, example: ["provider": "direct"]),
                answer: Operation.Answer(200, "The new value", Self.provider, example: ["provider": "direct"])
            ) { call in
                try await guardian.setNotificationProvider(call.required("provider", .choice), for: call.context)
                return .object(call.document)
            },
        ] + policyRoutes
    }

    private var policyRoutes: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/guardian/policies", "get_guardian_policies", "Show the policies of second factors",
                in: Self.policyGroup, details: Self.policyDetails,
                answer: Operation.Answer(
                    200, "`all-applications` if every login requires a second factor", Self.policies,
                    example: ["all-applications"])
            ) { call in
                .value(JSONValue(try await guardian.policies(of: call.tenant).map(\.rawValue)))
            },
            ManagementRoute(
                .put, "/guardian/policies", "set_guardian_policies", "Set the policies of second factors",
                in: Self.policyGroup, details: Self.policyDetails,
                body: Operation.Body(Self.policies, example: ["all-applications"]),
                answer: Operation.Answer(200, "The new value", Self.policies, example: ["all-applications"])
            ) { call in
                let names = call.body.stringsValue ?? []
                try await guardian.setPolicies(
                    Set(names.compactMap(ManageGuardian.Policy.init(rawValue:))), for: call.context)
                return .value(JSONValue(names))
            },
        ]
    }

    private static let policyDetails = """
        With `all-applications` every login asks for a second factor (the setting `multi_factor` is `always`). Without \
        a policy `multi_factor` is what it was before: `never`, or `when-enrolled`, which only the tenant's settings \
        can tell apart. `confidence-score` is refused with `operation_not_supported`.
        """

    @Sendable private func setFactor(_ call: ManagementCall) async throws -> ManagementAnswer {
        guard let factor = GuardianFactor(rawValue: call.id("name")) else {
            let names = GuardianFactor.allCases.map(\.rawValue).joined(separator: ", ")
            throw ManagementFailure.invalidPath("must be one of \(names)", at: "name")
        }
        let isEnabled = try call.required("enabled", .flag)
        try await guardian.setFactor(factor, enabled: isEnabled, for: call.context)
        return .object(["enabled": .bool(isEnabled)])
    }
}
