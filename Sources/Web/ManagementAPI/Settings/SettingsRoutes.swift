import Administration
import Flows

extension ManagementAPI {
    static func settingsRoutes(_ ports: Ports) -> [ManagementRoute] {
        let managers = ports.managers
        return GuardianRoutes(guardian: managers.guardian).all
            + PushProviderRoutes(providers: managers.pushProviders).all
            + ApprovalAppRoutes(apps: managers.approvalApp).all
            + SigningKeyRoutes(keys: managers.signingKeys, hashing: ports.basic.hashing).all
            + TenantSettingsRoutes(settings: managers.tenantSettings).all
            + ConfigurationRoutes(settings: managers.tenantSettings, files: managers.tenantFiles).all
            + CustomDomainRoutes(domains: managers.customDomains).all
            + EmailRoutes(provider: managers.mail.provider, templates: managers.mail.templates).all
            + PromptRoutes(partials: managers.promptPartials).all
            + LogRoutes(logs: managers.tenantLogs, statistics: managers.statistics).all
            + DeliveryRoutes(deliveries: ports.basic.deliveryLog).all
            + (ports.server.map { serverRoutes($0, managers) } ?? [])
    }

    private static func serverRoutes(_ flows: UseCases, _ managers: Managers) -> [ManagementRoute] {
        HealthRoutes(examine: flows.health, domains: managers.customDomains).all
            + ApprovalRoutes(requests: flows.backchannel.requests).all
            + TryClientRoute(trial: flows.backchannel.trial).all
    }
}
