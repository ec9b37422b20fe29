public import Administration
public import Flows
public import Primitives

extension ManagementAPI {
    /// What the operations work with.
    public struct Ports: Sendable {
        let store: any ConfigurationStore
        let tokens: AccessTokenReader
        let random: any RandomSource
        let users: UserPorts
        let settings: SettingsPorts
        let clients: ClientPorts

        public init(
            store: any ConfigurationStore, tokens: AccessTokenReader, random: any RandomSource, users: UserPorts,
            settings: SettingsPorts, clients: ClientPorts
        ) {
            self.store = store
            self.tokens = tokens
            self.random = random
            self.users = users
            self.settings = settings
            self.clients = clients
        }
    }

    /// Every operation there is.
    static func routes(_ ports: Ports) -> [ManagementRoute] {
        let roles = RoleRoutes(roles: ManageRoles(store: ports.store, random: ports.random))
        return roles.all + userRoutes(ports) + settingsRoutes(ports) + clientRoutes(ports)
    }
}
