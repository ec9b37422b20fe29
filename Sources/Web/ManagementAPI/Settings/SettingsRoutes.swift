import Administration
import Flows

extension ManagementAPI {
    static func settingsRoutes(_ ports: Ports) -> [ManagementRoute] {
        let managers = ports.managers
        return GuardianRoutes(guardian: managers.guardian).all
            + PushProviderRoutes(providers: managers.pushProviders).all
            + ApprovalAppRoutes(apps: managers.approvalApp).all
            + SigningKeyRoutes(keys: managers.signingKeys, hashing: ports.flows.hashing).all
            + TenantSettingsRoutes(settings: managers.tenantSettings).all
            + CustomDomainRoutes(domains: managers.customDomains).all
            + EmailRoutes(provider: managers.mail.provider, templates: managers.mail.templates).all
            + PromptRoutes(partials: managers.promptPartials).all
            + HealthRoutes(examine: ports.flows.health, domains: managers.customDomains).all
            + LogRoutes(logs: managers.tenantLogs, statistics: managers.statistics).all
            + DeliveryRoutes(deliveries: ports.flows.deliveryLog).all
            + ApprovalRoutes(requests: ports.flows.backchannel.requests).all
            + TryClientRoute(trial: ports.flows.backchannel.trial).all
    }
}
