import AuthorizationCore
import Configuration

extension Optional {
    /// The value. Throws `AdministrationFailure.unknown` without one.
    func orUnknown(_ kind: ObjectKind) throws(AdministrationFailure) -> Wrapped {
        guard let self else { throw .unknown(kind) }
        return self
    }
}

extension ConfigurationReader {
    /// The tenant's connections. A tenant without configured ones has the default database.
    func connectionsOrDefault(of tenant: TenantID) throws -> [LoginConnection] {
        let configured = try connections(of: tenant)
        return configured.isEmpty ? [.defaultDatabase] : configured
    }
}
