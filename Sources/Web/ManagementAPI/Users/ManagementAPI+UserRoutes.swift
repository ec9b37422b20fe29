import Administration

extension ManagementAPI {
    /// Everything about users.
    static func userRoutes(_ ports: Ports) -> [ManagementRoute] {
        let users = ManageUsers(
            store: ports.store, passwords: ports.users.passwords, hashing: ports.users.hashing, random: ports.random)
        let access = UserAccessRoutes(
            users: users, roles: ManageRoles(store: ports.store, random: ports.random),
            access: ManageUserAccess(store: ports.store))
        return UserRoutes(users: users, ports: ports.users).all + access.all
    }
}
