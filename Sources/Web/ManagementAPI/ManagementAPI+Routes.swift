package import Administration
package import Audit
package import AuthorizationCore
package import Configuration
package import Flows
package import Primitives

/// Store ports of all operations.
package typealias ManagementStore = ConfigurationStore & UserSearchStore & TenantLogStore & DeliveryLog

extension ManagementAPI {
    /// Adapters and flows that the operations need.
    package struct Ports: Sendable {
        let store: any ManagementStore
        let tokens: AccessTokenReader
        let random: any RandomSource
        let hashing: any Hashing
        let sealer: any Sealer
        let passwords: any PasswordHasher
        let signingKeys: any SigningKeyFactory
        let schemas: SchemaRegistry
        let decisions: DecisionHub
        let ticketMails: MailBudget
        let ceilings: TenantCeilings

        package init(
            store: any ManagementStore, tokens: AccessTokenReader, random: any RandomSource, hashing: any Hashing,
            sealer: any Sealer, passwords: any PasswordHasher, signingKeys: any SigningKeyFactory,
            schemas: SchemaRegistry, decisions: DecisionHub, ticketMails: MailBudget, ceilings: TenantCeilings
        ) {
            self.store = store
            self.tokens = tokens
            self.random = random
            self.hashing = hashing
            self.sealer = sealer
            self.passwords = passwords
            self.signingKeys = signingKeys
            self.schemas = schemas
            self.decisions = decisions
            self.ticketMails = ticketMails
            self.ceilings = ceilings
        }

        /// Wakes polls that wait for deleted requests.
        func notify(of endedRequests: [[UInt8]]) {
            for hash in endedRequests { decisions.decided(AuthReqIDHash(stored: hash)) }
        }
    }

    static func routes(_ ports: Ports) -> [ManagementRoute] {
        let roles = RoleRoutes(roles: ManageRoles(store: ports.store, random: ports.random))
        return roles.all + userRoutes(ports) + settingsRoutes(ports) + clientRoutes(ports)
    }
}
