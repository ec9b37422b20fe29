import Administration

extension ManagementAPI {
    /// Operations of clients, APIs, client grants and connections.
    static func clientRoutes(_ ports: Ports) -> [ManagementRoute] {
        let apis = ManageResourceServers(
            store: ports.store, hashing: ports.hashing, keys: ports.signingKeys, schemas: ports.schemas)
        let clients = ManageClients(
            store: ports.store, random: ports.random, hashing: ports.hashing, keys: ports.signingKeys)
        let credentials = ManageClientCredentials(store: ports.store, random: ports.random, hashing: ports.hashing)
        let grants = ManageClientGrants(store: ports.store, hashing: ports.hashing)
        let connections = ManageConnections(store: ports.store, hashing: ports.hashing, sealer: ports.sealer)
        return ResourceServerRoutes(apis: apis, ports: ports).all + ClientRoutes(clients: clients).all
            + ClientCredentialRoutes(credentials: credentials).all
            + ClientGrantRoutes(grants: grants).all + ConnectionRoutes(connections: connections, ports: ports).all
    }
}
