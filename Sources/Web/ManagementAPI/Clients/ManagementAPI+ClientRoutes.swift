import Administration

extension ManagementAPI {
    static func clientRoutes(_ ports: Ports) -> [ManagementRoute] {
        let managers = ports.managers
        return ResourceServerRoutes(apis: managers.resourceServers, ports: ports).all
            + ClientRoutes(clients: managers.clients).all
            + ClientCredentialRoutes(credentials: managers.clientCredentials).all
            + ClientGrantRoutes(grants: managers.clientGrants).all
            + ConnectionRoutes(connections: managers.connections, ports: ports).all
    }
}
