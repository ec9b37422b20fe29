import Administration
import Flows

extension ManagementAPI {
    /// Managers and use cases of the operations.
    struct Ports: Sendable {
        let managers: Managers
        let basic: BasicPorts
        /// Nil beside a server, which then finds deleted requests by itself, and without the operations that need one.
        let server: UseCases?

        /// Wakes polls that wait for deleted requests.
        func notify(of endedRequests: [[UInt8]]) {
            for hash in endedRequests { server?.hub.decided(AuthReqIDHash(stored: hash)) }
        }
    }

    static func routes(_ ports: Ports) -> [ManagementRoute] {
        RoleRoutes(roles: ports.managers.roles).all + userRoutes(ports) + settingsRoutes(ports) + clientRoutes(ports)
    }
}
