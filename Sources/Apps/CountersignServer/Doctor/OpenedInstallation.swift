import AuthorizationCore
import Configuration

/// An opened installation, as far as it can be read.
struct OpenedInstallation: Sendable {
    let installation: Installation
    /// Settings with the defaults of a development server, if the folder is one's.
    let settings: ServerSettings
    /// Findings about the database and its master key.
    let findings: [DoctorFinding]
    let isMasterKeyRight: Bool
    /// Ids of all tenants.
    let allTenants: [TenantID]
    /// The wanted tenants.
    let tenants: [StoredTenant]
}

/// A database that cannot be read.
struct UnreadableDatabase: Error {
    let finding: DoctorFinding
}
