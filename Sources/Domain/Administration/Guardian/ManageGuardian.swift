package import AuthorizationCore
package import Configuration
import Primitives

/// Manages a tenant's factors and their policy.
package struct ManageGuardian: Sendable {
    /// Auth0's policy for logins that need a second factor.
    package enum Policy: String, Sendable, CaseIterable {
        case allApplications = "all-applications"
        case confidenceScore = "confidence-score"
    }

    let store: any ConfigurationStore

    // MARK: factors

    /// Every factor, in Auth0's order, with its state.
    package func factors(of tenant: TenantID) async throws -> [(factor: GuardianFactor, isEnabled: Bool)] {
        let settings = try await self.tenant(tenant).settings
        return GuardianFactor.allCases.map { ($0, Self.isEnabled($0, settings)) }
    }

    /// One-time passwords are always on: every enrolled device generates them.
    private static func isEnabled(_ factor: GuardianFactor, _ settings: TenantSettings) -> Bool {
        switch factor {
        case .push: settings.pushEnabled
        case .oneTimePassword: true
        case .sms, .email, .duo, .securityKey, .platformAuthenticator, .recoveryCode: false
        }
    }

    /// Throws `AdministrationFailure.unsupported` for fixed factors.
    package func setFactor(_ factor: GuardianFactor, enabled: Bool, for context: AdministrativeContext) async throws {
        try await store.edit(for: context) { change in
            var tenant = try Self.tenant(change.draft)
            guard Self.isEnabled(factor, tenant.settings) != enabled else { return }
            guard factor == .push else {
                throw AdministrationFailure.unsupported(
                    enabled
                        ? "This server has no factor \(factor.rawValue), so it stays off"
                        : "Every enrolled device makes one-time passwords, so the factor otp stays on")
            }
            tenant.settings.pushEnabled = enabled
            change.draft.put(tenant)
            change.record(.changed, .guardianFactor, factor.rawValue, fields: ["enabled"])
        }
    }

    // MARK: policies

    /// Empty unless always required.
    package func policies(of tenant: TenantID) async throws -> [Policy] {
        try await self.tenant(tenant).settings.multiFactor == .always ? [.allApplications] : []
    }

    /// `all-applications` requires a second factor of every user. Without it, the former setting returns: never or if
    /// enrolled, which Auth0's policies cannot tell apart.
    package func setPolicies(_ policies: Set<Policy>, for context: AdministrativeContext) async throws {
        guard !policies.contains(.confidenceScore) else {
            throw AdministrationFailure.unsupported(
                "This server does not assess risk; set all-applications, or multi_factor of the tenant's settings")
        }
        try await store.edit(for: context) { change in
            var tenant = try Self.tenant(change.draft)
            let id = "policies"
            let former = "without"
            switch (tenant.settings.multiFactor, policies.isEmpty) {
            case (.always, false), (.never, true), (.whenEnrolled, true): return
            case (let other, false):
                let document: JSONObject = [former: .string(other.rawValue)]
                change.draft.put(TenantDocument(.guardianSetting, id: id, document: document))
                tenant.settings.multiFactor = .always
            case (.always, true):
                let kept = try change.draft.document(.guardianSetting, id)?.document[former]
                tenant.settings.multiFactor = kept?.stringValue.flatMap(MultiFactorPolicy.init(rawValue:)) ?? .never
            }
            change.draft.put(tenant)
            change.record(.changed, .tenant, context.tenant.rawValue, fields: ["multi_factor"])
        }
    }

    // MARK: notification provider

    package func notificationProvider(of tenant: TenantID) async throws -> PushServices.Selection {
        try await store.view(tenant) { try Self.notificationProvider($0) }
    }

    package func setNotificationProvider(_ provider: PushServices.Selection, for context: AdministrativeContext)
        async throws
    {
        try await store.edit(for: context) { change in
            guard try Self.notificationProvider(change.draft) != provider else { return }
            change.draft.put(
                TenantDocument(
                    .guardianSetting, id: PushServices.selectionID, document: ["provider": .string(provider.rawValue)]))
            change.record(.changed, .guardianFactor, GuardianFactor.push.rawValue, fields: ["selected_provider"])
        }
    }

    private static func notificationProvider(_ draft: Draft) throws -> PushServices.Selection {
        let document = try draft.document(.guardianSetting, PushServices.selectionID)?.document
        return document?["provider"]?.stringValue.flatMap(PushServices.Selection.init(rawValue:)) ?? .guardian
    }

    private func tenant(_ id: TenantID) async throws -> Tenant {
        try await store.view(id) { try $0.tenant() }.orUnknown(.tenant)
    }

    private static func tenant(_ draft: Draft) throws -> Tenant {
        try draft.tenant().orUnknown(.tenant)
    }
}

extension Managers {
    package var guardian: ManageGuardian { ManageGuardian(store: store) }
}
