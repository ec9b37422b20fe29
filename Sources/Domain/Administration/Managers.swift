package import Audit
package import AuthorizationCore
package import Configuration
package import JOSE
package import Primitives

/// Store ports of all managers.
package typealias ManagerStore = ConfigurationStore & UserSearchStore & TenantLogStore & AuditLogStore

/// Ports of the managers. Each manager is made from them in its own file, and nowhere else.
package struct Managers: Sendable {
    let store: any ManagerStore
    let random: any RandomSource
    let hashing: any Hashing
    let verifier: any Verifier
    let passwords: any PasswordHasher
    let sealer: any Sealer
    let keys: any SigningKeyFactory
    package let schemas: SchemaRegistry
    let ceilings: TenantCeilings
    let mails: any TicketMails

    /// - Parameters:
    ///   - ceilings: Largest values of tenants' settings.
    ///   - mails: Writes the mails that administrators ask for.
    package init(
        store: any ManagerStore, random: any RandomSource, hashing: any Hashing, verifier: any Verifier,
        passwords: any PasswordHasher, sealer: any Sealer, keys: any SigningKeyFactory, schemas: SchemaRegistry,
        ceilings: TenantCeilings = TenantCeilings(), mails: any TicketMails
    ) {
        self.store = store
        self.random = random
        self.hashing = hashing
        self.verifier = verifier
        self.passwords = passwords
        self.sealer = sealer
        self.keys = keys
        self.schemas = schemas
        self.ceilings = ceilings
        self.mails = mails
    }

    var ids: ObjectIDs { ObjectIDs(hashing: hashing) }
    var supply: SigningKeySupply { SigningKeySupply(keys) }

    package var tenantLogs: TenantLogs { TenantLogs(store: store) }
    package var statistics: Statistics { Statistics(store: store) }
    package var auditLog: VerifyAuditLog { VerifyAuditLog(store: store, hashing: hashing, verifier: verifier) }
}
