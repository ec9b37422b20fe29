import Administration

extension ManagementAPI {
    /// Clients, APIs, what clients may have of them, and where users log in.
    static func clientRoutes(_ ports: Ports) -> [ManagementRoute] {
        let apis = ManageResourceServers(
            store: ports.store, hashing: ports.clients.hashing, keys: ports.clients.keys)
        let clients = ManageClients(
            store: ports.store, random: ports.random, hashing: ports.clients.hashing, keys: ports.clients.keys)
        let credentials = ManageClientCredentials(
            store: ports.store, random: ports.random, hashing: ports.clients.hashing)
        let grants = ManageClientGrants(store: ports.store, hashing: ports.clients.hashing)
        let connections = ManageConnections(
            store: ports.store, hashing: ports.clients.hashing, sealer: ports.clients.sealer)
        return ResourceServerRoutes(apis: apis).all + ClientRoutes(clients: clients).all
            + ClientCredentialRoutes(credentials: credentials).all
            + ClientGrantRoutes(grants: grants).all + ConnectionRoutes(connections: connections).all
    }
}
