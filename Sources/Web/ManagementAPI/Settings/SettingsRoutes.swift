public import Administration
public import Primitives

/// What the operations on a tenant as a whole work with.
public struct SettingsPorts: Sendable {
    let hashing: any Hashing
    let sealer: any Sealer
    let signingKeys: ManageSigningKeys
    let log: any TenantLogStore

    public init(hashing: any Hashing, sealer: any Sealer, signingKeys: ManageSigningKeys, log: any TenantLogStore) {
        self.hashing = hashing
        self.sealer = sealer
        self.signingKeys = signingKeys
        self.log = log
    }
}

extension ManagementAPI {
    static func settingsRoutes(_ ports: Ports) -> [ManagementRoute] {
        let store = ports.store
        let settings = ports.settings
        let email = EmailRoutes(
            provider: ManageEmailProvider(store: store, sealer: settings.sealer),
            templates: ManageEmailTemplates(store: store))
        return GuardianRoutes(guardian: ManageGuardian(store: store)).all
            + PushProviderRoutes(providers: ManagePushProviders(store: store, sealer: settings.sealer)).all
            + SigningKeyRoutes(keys: settings.signingKeys, hashing: settings.hashing).all
            + TenantSettingsRoutes(settings: ManageTenantSettings(store: store)).all
            + CustomDomainRoutes(domains: ManageCustomDomains(store: store, hashing: settings.hashing)).all
            + email.all + PromptRoutes(partials: ManagePromptPartials(store: store)).all
            + LogRoutes(logs: TenantLogs(store: settings.log), statistics: Statistics(store: settings.log)).all
    }
}
