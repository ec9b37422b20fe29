import Administration
import Audit
import Flows

extension ManagementAPI {
    static func userRoutes(_ ports: Ports) -> [ManagementRoute] {
        let store = ports.store
        let users = ManageUsers(store: store, passwords: ports.passwords, random: ports.random)
        let logins = ManageLogins(store: store)
        let tickets = ManageTickets(
            store: store, hashing: ports.hashing, random: ports.random,
            mails: ComposedMails(composer: MailComposer(sealer: ports.sealer), budget: ports.ticketMails))
        let access = UserAccessRoutes(
            users: users, roles: ManageRoles(store: store, random: ports.random),
            access: ManageUserAccess(store: store))
        let authenticators = AuthenticatorRoutes(devices: ManageDevices(store: store), tickets: tickets)
        let credentials = DeviceCredentialRoutes(
            credentials: ManageDeviceCredentials(store: store, random: ports.random), logins: logins)
        let logs = UserLogRoutes(users: users, logs: TenantLogs(store: store))
        let blocks = UserBlockRoutes(blocks: ManageUserBlocks(store: store, hashing: ports.hashing))
        let search = SearchUsers(store: store)
        return UserRoutes(users: users, tickets: tickets, search: search, ports: ports).all + access.all + logs.all
            + blocks.all
            + LoginRoutes(logins: logins, ports: ports).all + GrantRoutes(grants: ManageGrants(store: store)).all
            + authenticators.all + TicketRoutes(tickets: tickets, random: ports.random).all
            + IdentityRoutes(identities: ManageIdentities(store: store), ports: ports).all + credentials.all
    }
}
