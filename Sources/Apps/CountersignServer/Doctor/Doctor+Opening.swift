import AuthorizationCore
import Configuration
import Files
import Glibc
import Persistence
import PostgreSQLDriver
import Primitives
import SQL

extension Doctor {
    /// Opens the database for reading alone, and then the master key.
    func open() async -> Result<OpenedInstallation, UnreadableDatabase> {
        let path = databaseFile
        if settings.store.isFile, access(path, F_OK) != 0, errno == ENOENT {
            return .failure(
                UnreadableDatabase(
                    finding: .fault(
                        .database, path, "there is no database",
                        advice: "name the server's data folder with --data, or start countersign serve with it first")))
        }
        var closed: Installation?
        do {
            let reading = try await Installation(reading: settings)
            closed = reading
            let (installation, key, isRight) = try await opened(reading)
            var findings = [
                key, .ok(.database, path, "its schema is this version's: \(Schema.migrations.last?.name ?? "")"),
            ]
            findings += try await engineFindings(installation)
            let tenants = try await installation.store.tenants()
            // The check of files judges an unreadable development.json.
            let resolved = (try? await settings.resolved(for: installation)) ?? settings
            return .success(
                OpenedInstallation(
                    installation: installation, settings: resolved,
                    findings: findings + tenantFindings(tenants.map(\.tenant)), isMasterKeyRight: isRight,
                    allTenants: tenants.map(\.tenant.id),
                    tenants: tenants.filter { scope.tenant == nil || $0.tenant.id.rawValue == scope.tenant }))
        } catch {
            await closed?.close()
            let denied =
                settings.store.isFile && access(path, R_OK) != 0
                ? DataFolder.wayIn(
                    settings.dataFolder, after: FileFailure("cannot read \(path)"))
                : nil
            return .failure(
                UnreadableDatabase(
                    finding: DoctorRules.database(error, path: path, isFile: settings.store.isFile, wayIn: denied)))
        }
    }

    private func engineFindings(_ installation: Installation) async throws -> [DoctorFinding] {
        guard case .postgreSQL(let address) = settings.store else {
            let log = databaseFile + "-wal"
            return [DoctorRules.writeAheadLog(ProcessFacts.size(of: log) ?? 0, path: log)]
        }
        let facts = try await installation.database.read { try PostgreSQLFacts($0) }
        return DoctorRules.server(
            facts, needed: PostgreSQLConfiguration(address).connections, now: clock.now, place: databaseFile)
    }

    /// The installation with its master key, and the finding about the key.
    /// - Throws: `SQLError`, if the database cannot be read.
    private func opened(_ reading: Installation) async throws -> (Installation, DoctorFinding, isRight: Bool) {
        var made: [String] = []
        do {
            let key = try await Installation.masterKey(settings, &made).matching(reading.store)
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
        } catch let error as SQLError {
            throw error
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
