import Administration
import Audit

extension ManagementAPI {
    static func settingsRoutes(_ ports: Ports) -> [ManagementRoute] {
        let store = ports.store
        let hashing = ports.hashing
        let sealer = ports.sealer
        let email = EmailRoutes(
            provider: ManageEmailProvider(store: store, sealer: sealer), templates: ManageEmailTemplates(store: store))
        return GuardianRoutes(guardian: ManageGuardian(store: store)).all
            + PushProviderRoutes(providers: ManagePushProviders(store: store, sealer: sealer)).all
            + SigningKeyRoutes(keys: ManageSigningKeys(store: store, keys: ports.signingKeys), hashing: hashing).all
            + TenantSettingsRoutes(settings: ManageTenantSettings(store: store)).all
            + CustomDomainRoutes(domains: ManageCustomDomains(store: store, hashing: hashing)).all
            + email.all + PromptRoutes(partials: ManagePromptPartials(store: store)).all
            + LogRoutes(logs: TenantLogs(store: store), statistics: Statistics(store: store)).all
    }
}
