import Administration
import Audit

extension ManagementAPI {
    static func settingsRoutes(_ ports: Ports) -> [ManagementRoute] {
        let store = ports.store
        let hashing = ports.hashing
        let sealer = ports.sealer
        let mail = ManageMail(store: store, sealer: sealer)
        let email = EmailRoutes(provider: mail.provider, templates: mail.templates)
        return GuardianRoutes(guardian: ManageGuardian(store: store)).all
            + PushProviderRoutes(providers: ManagePushProviders(store: store, sealer: sealer, keys: ports.signingKeys))
            .all + ApprovalAppRoutes(apps: ManageApprovalApp(store: store)).all
            + SigningKeyRoutes(keys: ManageSigningKeys(store: store, keys: ports.signingKeys), hashing: hashing).all
            + TenantSettingsRoutes(settings: ManageTenantSettings(store: store, ceilings: ports.ceilings)).all
            + CustomDomainRoutes(domains: ManageCustomDomains(store: store, hashing: hashing)).all
            + email.all + PromptRoutes(partials: ManagePromptPartials(store: store)).all
            + LogRoutes(logs: TenantLogs(store: store), statistics: Statistics(store: store)).all
            + DeliveryRoutes(deliveries: store).all
    }
}
