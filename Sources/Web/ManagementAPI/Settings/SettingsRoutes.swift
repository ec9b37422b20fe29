public import Administration
public import Primitives

/// What the operations on a tenant as a whole work with.
public struct SettingsPorts: Sendable {
    let hashing: any Hashing
    let sealer: any Sealer
    let signingKeys: ManageSigningKeys
    let logs: TenantLogs

    public init(hashing: any Hashing, sealer: any Sealer, signingKeys: ManageSigningKeys, logs: TenantLogs) {
        self.hashing = hashing
        self.sealer = sealer
        self.signingKeys = signingKeys
        self.logs = logs
    }
}

extension ManagementAPI {
    static func settingsRoutes(_ ports: Ports) -> [ManagementRoute] {
        let sealer = ports.settings.sealer
        return GuardianRoutes(guardian: ManageGuardian(store: ports.store)).all
            + PushProviderRoutes(providers: ManagePushProviders(store: ports.store, sealer: sealer)).all
            + SigningKeyRoutes(keys: ports.settings.signingKeys, hashing: ports.settings.hashing).all
            + TenantSettingsRoutes(settings: ManageTenantSettings(store: ports.store)).all
    }
}
