import Administration

extension ManagementAPI {
    /// Everything about users.
    static func userRoutes(_ ports: Ports) -> [ManagementRoute] {
        let store = ports.store
        let own = ports.users
        let users = ManageUsers(
            store: store, passwords: own.passwords, hashing: own.hashing, random: ports.random)
        let logins = ManageLogins(store: store)
        let tickets = ManageTickets(
            store: store, hashing: own.hashing, random: ports.random, letters: ComposedLetters(composer: own.mail))
        let access = UserAccessRoutes(
            users: users, roles: ManageRoles(store: store, random: ports.random),
            access: ManageUserAccess(store: store))
        let authenticators = AuthenticatorRoutes(devices: ManageDevices(store: store), tickets: tickets)
        let credentials = DeviceCredentialRoutes(
            credentials: ManageDeviceCredentials(store: store, random: ports.random), logins: logins)
        let logs = UserLogRoutes(users: users, logs: TenantLogs(store: ports.settings.log))
        let blocks = UserBlockRoutes(blocks: ManageUserBlocks(store: store, hashing: own.hashing))
        return UserRoutes(users: users, tickets: tickets, ports: own).all + access.all
            + logs.all + blocks.all
            + LoginRoutes(logins: logins, ports: own).all + GrantRoutes(grants: ManageGrants(store: store)).all
            + authenticators.all + TicketRoutes(tickets: tickets, random: ports.random).all
            + IdentityRoutes(identities: ManageIdentities(store: store), ports: own).all + credentials.all
    }
}
