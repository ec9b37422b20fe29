import AuthorizationCore
import Configuration
import Glibc
import OpenSSLCrypto
import Persistence
import Primitives
import SQL

/// An opened installation, as far as it can be read.
struct Patient: Sendable {
    let installation: Installation
    /// Findings about the database and its master key.
    let findings: [DoctorFinding]
    let isMasterKeyRight: Bool
    /// The wanted tenants.
    let tenants: [StoredTenant]
}

/// A database that cannot be read.
struct ClosedPatient: Error {
    let finding: DoctorFinding
}

extension Doctor {
    /// Opens the database for reading alone, and then the master key.
    func open() async -> Result<Patient, ClosedPatient> {
        let path = databaseFile
        if access(path, F_OK) != 0, errno == ENOENT {
            return .failure(
                ClosedPatient(
                    finding: .fault(
                        .database, path, "there is no database",
                        advice: "name the server's data folder with --data, or start countersign serve with it first")))
        }
        var closed: Installation?
        do {
            let reading = try await Installation(reading: settings)
            closed = reading
            let (installation, key, isRight) = await opened(reading)
            var findings = [
                key, .ok(.database, path, "its schema is this version's: \(Schema.migrations.last?.name ?? "")"),
            ]
            let log = ProcessFacts.size(of: path + "-wal") ?? 0
            findings.append(DoctorRules.writeAheadLog(log, path: path + "-wal"))
            let tenants = try await installation.store.tenants()
            return .success(
                Patient(
                    installation: installation, findings: findings + tenantFindings(tenants.map(\.tenant)),
                    isMasterKeyRight: isRight,
                    tenants: tenants.filter { scope.tenant == nil || $0.tenant.id.rawValue == scope.tenant }))
        } catch {
            await closed?.close()
            let folder = try? DoctorFacts.file(settings.dataFolder, as: .folder)
            let isDenied = access(path, R_OK) != 0 && errno == EACCES && folder?.owner.number != geteuid()
            return .failure(
                ClosedPatient(
                    finding: DoctorRules.database(error, path: path, owner: isDenied ? folder?.owner.name : nil)))
        }
    }

    /// The installation with its master key, and the finding about the key.
    private func opened(_ reading: Installation) async -> (Installation, DoctorFinding, isRight: Bool) {
        var made: [String] = []
        do {
            let key = try await Installation.masterKey(settings, forNewDatabase: false, &made).matching(reading.store)
            let installation = reading.opened(by: key.vault)
            guard key.vault.isOpen else {
                throw MasterKeyFailure.missing(file: Installation.masterKeyFile(settings))
            }
            if key.isInterruptedExchange {
                let finding = DoctorFinding.warning(
                    .masterKey, key.source, "an exchange of the master key was interrupted",
                    advice: "restart the server, which completes it")
                return (installation, finding, true)
            }
            return (installation, .ok(.masterKey, "master key", "the key \(key.source) opens the database"), true)
        } catch {
            let finding = DoctorFinding.fault(
                .masterKey, "master key", "\(error)",
                advice: "use the settings of countersign serve, with the same --config, --master-key-file and "
                    + "environment; without the right key nothing sealed can be read")
            return (reading, finding, false)
        }
    }

    private func tenantFindings(_ tenants: [Tenant]) -> [DoctorFinding] {
        let ids = tenants.map(\.id.rawValue)
        if let wanted = scope.tenant, !ids.contains(wanted) {
            return [
                .fault(
                    .configuration, wanted, "there is no such tenant",
                    advice: ids.isEmpty
                        ? "create one with countersign apply" : "the tenants are: \(ids.joined(separator: ", "))")
            ]
        }
        guard ids.isEmpty else { return [] }
        return [
            .warning(
                .configuration, "tenants", "no tenant is configured, so every request is refused",
                advice: "create one with countersign apply or countersign tenant create")
        ]
    }
}
