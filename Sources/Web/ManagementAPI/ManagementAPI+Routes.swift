import Administration
import Flows

extension ManagementAPI {
    /// Managers and use cases of the operations.
    struct Ports: Sendable {
        let managers: Managers
        let flows: UseCases

        /// Wakes polls that wait for deleted requests.
        func notify(of endedRequests: [[UInt8]]) {
            for hash in endedRequests { flows.hub.decided(AuthReqIDHash(stored: hash)) }
        }
    }

    static func routes(_ ports: Ports) -> [ManagementRoute] {
        RoleRoutes(roles: ports.managers.roles).all + userRoutes(ports) + settingsRoutes(ports) + clientRoutes(ports)
    }
}
