import Files
import Glibc
import PostgreSQLDriver
import Threads

extension Doctor {
    /// Examinations of files, on threads of their own: a file system on a network may not answer.
    func fileExaminations() -> [Examination] {
        let threads = Workers(threads: 4, queueLimit: 4)
        func reading(_ check: DoctorCheck, _ work: @escaping @Sendable () -> [DoctorFinding]) -> Examination {
            Examination([check], settings.dataFolder) {
                (try? await threads.run(work)) ?? [.blocked(check, settings.dataFolder, "no thread is left")]
            }
        }
        return [
            reading(.files) { filesFindings() }, reading(.disk) { diskFindings() },
            reading(.certificates) { certificateFileFindings() }, reading(.server) { [serverFinding()] },
        ]
    }

    private func serverFinding() -> DoctorFinding {
        let folder = settings.dataFolder
        do {
            if let process = try ServingLock.server(on: folder) {
                return .ok(.server, folder, "process \(process) serves it")
            }
            return .warning(
                .server, folder, "no server runs on this data folder",
                advice: "start it, for example with systemctl start countersign; if it runs, name its data with --data")
        } catch {
            return .blocked(.server, folder, "\(error)", advice: advice(after: error))
        }
    }

    /// Advice to run as the folder's owner, if that is another account and may read what this one may not.
    func advice(after error: any Error) -> String? {
        (error as? FileFailure).flatMap { DataFolder.wayIn(settings.dataFolder, after: $0) }
    }

    private func filesFindings() -> [DoctorFinding] {
        let folder = settings.dataFolder
        do {
            var own = try DoctorFacts.file(folder, as: .folder)
            guard own.isFolder else {
                return [.fault(.files, folder, "is no folder", advice: "name the server's data folder with --data")]
            }
            own.isWritable = DoctorFacts.isWritable(own, by: own.owner)
            var inventory = Inventory(owner: own.owner, database: databaseFile)
            inventory.files = [own]
            inventory.addFiles(in: folder) { advice(after: $0) }
            let key = Installation.masterKeyFile(settings)
            if !inventory.files.contains(where: { $0.path == key }), settings.masterKey == nil,
                let file = try? DoctorFacts.file(key, as: .secret)
            {
                inventory.files.append(file)
            }
            if case .files(_, let key) = settings.tls, let file = try? DoctorFacts.file(key, as: .certificateKey) {
                inventory.files.append(file)
            }
            inventory.files += storeSecrets()
            return DoctorRules.files(inventory.files, owner: own.owner, unlisted: inventory.unlisted)
        } catch {
            return [
                .fault(
                    .files, folder, "\(error)",
                    advice: "name the server's data folder with --data, or start countersign serve with it first")
            ]
        }
    }

    /// Files with passwords for a database of a server.
    private func storeSecrets() -> [FileFacts] {
        var places: [(String?, FileFacts.Use)] = [(settings.fileWithPassword, .settings)]
        if case .postgreSQL(let address) = settings.store { places.append((address.passwordFile, .secret)) }
        return places.compactMap { path, use in path.flatMap { try? DoctorFacts.file($0, as: use) } }
    }

    /// Every file of a data folder and its subfolders.
    private struct Inventory {
        /// Depth to which subfolders are looked at.
        private static let depthLimit = 4

        let owner: Account
        let database: String
        var files: [FileFacts] = []
        var unlisted: [(path: String, reason: String, advice: String?)] = []

        mutating func addFiles(in folder: String, depth: Int = 1, _ advice: (any Error) -> String?) {
            do {
                let names = try DoctorFacts.names(in: folder)
                if names.count == DoctorFacts.nameLimit {
                    let reason = "it has \(names.count) files or more, and only those were looked at"
                    unlisted.append((folder, reason, "move files there that the server does not need"))
                }
                for name in names {
                    let isPublic = folder.hasSuffix("/tls") && name.hasSuffix(".pem") && !name.hasSuffix("-key.pem")
                    let path = "\(folder)/\(name)"
                    guard var file = try present(path, as: isPublic ? .public : .secret) else { continue }
                    if file.isFolder {
                        file.use = .folder
                        if !DoctorFacts.isLink(path), depth < Self.depthLimit {
                            addFiles(in: path, depth: depth + 1, advice)
                        }
                    }
                    if ["", "-wal", "-shm"].contains(where: { database + $0 == path }) {
                        file.isWritable = DoctorFacts.isWritable(file, by: owner)
                    }
                    files.append(file)
                }
            } catch {
                unlisted.append((folder, "\(error)", advice(error)))
            }
        }

        /// Nil for a file that a server has removed since it was listed.
        private func present(_ path: String, as use: FileFacts.Use) throws -> FileFacts? {
            do { return try DoctorFacts.file(path, as: use) } catch let failure as FileFailure
                where failure.number == ENOENT
            { return nil }
        }
    }

    private func diskFindings() -> [DoctorFinding] {
        do {
            return DoctorRules.disk(try DoctorFacts.disk(settings.dataFolder), folder: settings.dataFolder)
        } catch {
            return [.blocked(.disk, settings.dataFolder, "\(error)", advice: advice(after: error))]
        }
    }
}
