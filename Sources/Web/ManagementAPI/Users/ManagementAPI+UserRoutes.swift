import Administration
import Flows

extension ManagementAPI {
    static func userRoutes(_ ports: Ports) -> [ManagementRoute] {
        let managers = ports.managers
        let (users, tickets, logins) = (managers.users, managers.tickets, managers.logins)
        let access = UserAccessRoutes(users: users, roles: managers.roles, access: managers.userAccess)
        return UserRoutes(users: users, tickets: tickets, search: managers.userSearch, ports: ports).all + access.all
            + UserLogRoutes(users: users, logs: managers.tenantLogs).all
            + UserBlockRoutes(blocks: managers.userBlocks).all + LoginRoutes(logins: logins).all
            + GrantRoutes(grants: managers.grants).all
            + AuthenticatorRoutes(
                users: users, devices: managers.devices, tickets: tickets, recoveryCodes: managers.recoveryCodes
            ).all
            + InvitationRoutes(invitations: managers.phoneInvitations).all
            + TicketRoutes(tickets: tickets, random: ports.basic.random).all
            + IdentityRoutes(identities: managers.identities, ports: ports).all
            + JobRoutes(jobs: managers.userJobs).all
            + DeviceCredentialRoutes(credentials: managers.deviceCredentials, logins: logins).all
    }
}
