extension Texts {
    /// The pages of administrators.
    package struct Dashboard: Sendable {
        package let frame: Frame
        package let sections: Sections
        package let requests: Requests
        package let clients: Clients

        package struct Frame: Sendable {
            package let title, sections, trail, logOut, search, copy, name, id, member, before, after, absent,
                values, change, delete, goOn, backToForm, done, lasting, nothingChanges, changedMeanwhile,
                proveAgain, prove, proven, unreadable, missing, fromTerminal, asCurl, asApply, allMembers, next,
                first, you, noScopes, didNotWork, forbidden, gone, refused, welcome: String
        }

        package struct Sections: Sendable {
            package let userManagement, approvals, applications, delivery, look, operation, users, requests,
                clients, apis, grants, connections, roles, keys, push, mail, templates, branding, domains,
                settings, log, deliveries, statistics, health, configuration, noRoles, newRole, noClients,
                newClient, noAPIs, newAPI, noGrants, newGrant, noConnections, newConnection, noDomains,
                newDomain: String
        }
    }
}
