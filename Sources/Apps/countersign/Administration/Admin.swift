import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import OAuthWire
import Primitives
import Terminal

extension Command {
    /// Commands for the people who use the dashboard.
    static var admin: Command {
        Command(
            "admin", "Invite people to the dashboard.", examples: adminInvite.examples, subcommands: [adminInvite])
    }

    private static var adminInvite: Command {
        let address = Option<String>.argument("EMAIL", .string, "The person's e-mail address.")
        let name = Option<String?>.optional(
            "role", .string.placeholder("NAME"), defaultText: Administrators.roleName,
            "The role to give. A role of this name is used; the default one is made with every scope.")
        let mail = Option<Bool>.flag("send-mail", "Mail the link to the person, too.")
        return ObjectCommands.workHere(
            "invite", "Make a user with a role for the dashboard, and print a link to choose a password.",
            [address, name, mail],
            examples: [
                "invite the first administrator": "countersign admin invite hanna@shop.example",
                "invite somebody with a role of yours":
                    "countersign admin invite ann@shop.example --role Payments",
            ]
        ) { target, invocation in
            guard let email = EmailAddress(parsing: try invocation[address]) else {
                throw UsageError("\(try invocation[address]) is not an e-mail address")
            }
            let role = try await target.role(named: try invocation[name] ?? Administrators.roleName)
            let user = try await target.databaseUser(email, for: role)
            try await target.installation.roles.assign([role.id], to: [user], for: target.context)
            var options = ManageTickets.Options()
            options.isMailed = try invocation[mail]
            options.provesEmail = options.isMailed
            let link = try await target.installation.tickets.make(
                .password, for: user, options, tenant: target.tenant, for: target.context
            ).link
            let dashboard = DashboardPath().url(below: target.tenant.issuer)
            try ObjectCommands.print(
                [
                    "user_id": .string(user.rawValue), "role_id": .string(role.id.rawValue), "link": .string(link),
                    "dashboard": .string(dashboard),
                ],
                [
                    "\(email) has the role \(role.name)", "Choose a password: \(link)",
                    "Then open the dashboard: \(dashboard)",
                ], invocation)
        }
    }
}

extension ObjectCommands.Target {
    /// The role of that name. Makes the administrators' role if it is missing.
    fileprivate func role(named name: String) async throws -> Role {
        let roles = installation.roles
        if let known = try await roles.list(tenant.id).first(where: { $0.name == name }) { return known }
        guard name == Administrators.roleName else {
            throw CommandFailure("there is no role \(name)", hint: "countersign role list shows the roles")
        }
        let made = try await roles.create(
            ["name": .string(name), "description": "May do everything in the dashboard"], for: context)
        try await roles.add(Administrators.permissions(in: tenant), to: made.id, for: context)
        return made
    }

    /// The user with that address in the tenant's database, or a new one without a password.
    fileprivate func databaseUser(_ email: EmailAddress, for role: Role) async throws -> UserID {
        do {
            let id = try await installation.tickets.user(email: email, of: tenant.id)
            let user = try await installation.users.user(id, of: tenant.id).user
            // Anybody may have signed up with the address. A person who was invited before has the role.
            guard user.emailVerified || user.roles.contains(role.id) else {
                throw CommandFailure(
                    "the user \(id) has never proved that \(email) is theirs",
                    hint: "delete that account, or let its owner confirm the address first")
            }
            return id
        } catch AdministrationFailure.unknown(.user) {
            let document: JSONObject = [
                "email": .string(email.description),
                "connection": .string(LoginConnection.defaultDatabaseName),
            ]
            return try await installation.users.create(document, for: context).user.id
        }
    }
}
