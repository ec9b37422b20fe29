import Glibc
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
        ServingLock.server(on: settings.dataFolder).map { .ok(.server, settings.dataFolder, "process \($0) serves it") }
            ?? .warning(
                .server, settings.dataFolder, "no server runs on this data folder",
                advice: "start it, for example with systemctl start countersign; if it runs, name its data with --data")
    }

    /// Advice to run as the folder's owner, if that is another account and may read what this one may not.
    func advice(after error: any Error) -> String? {
        guard let failure = error as? Installation.FileFailure, failure.number == EACCES,
            let owner = try? DoctorFacts.file(settings.dataFolder, as: .folder).owner, owner.number != geteuid()
        else { return nil }
        return DoctorRules.runningAs(owner.name)
    }

    private func filesFindings() -> [DoctorFinding] {
        let folder = settings.dataFolder
        do {
            var own = try DoctorFacts.file(folder, as: .folder)
            guard own.isFolder else {
                return [.fault(.files, folder, "is no folder", advice: "name the server's data folder with --data")]
            }
            own.isWritable = DoctorFacts.isWritable(own, by: own.owner)
            let changed = ["", "-wal", "-shm"].map { databaseFile + $0 }
            var files = [own]
            var unlisted: [(path: String, reason: String, advice: String?)] = []
            // The check of the master key judges its file.
            for part in ["", "/tls"] where part.isEmpty || access(folder + part, F_OK) == 0 {
                do {
                    if !part.isEmpty { files.append(try DoctorFacts.file(folder + part, as: .folder)) }
                    for name in try DoctorFacts.names(in: folder + part) where name != "master.key" {
                        let isPublic = part == "/tls" && name.hasSuffix(".pem") && !name.hasSuffix("-key.pem")
                        guard var file = try present("\(folder)\(part)/\(name)", as: isPublic ? .public : .secret),
                            !file.isFolder
                        else { continue }
                        if changed.contains(file.path) { file.isWritable = DoctorFacts.isWritable(file, by: own.owner) }
                        files.append(file)
                    }
                } catch {
                    unlisted.append((folder + part, "\(error)", advice(after: error)))
                }
            }
            if case .files(_, let key) = settings.tls, let file = try? DoctorFacts.file(key, as: .certificateKey) {
                files.append(file)
            }
            return DoctorRules.files(files, owner: own.owner, unlisted: unlisted)
        } catch {
            return [
                .fault(
                    .files, folder, "\(error)",
                    advice: "name the server's data folder with --data, or start countersign serve with it first")
            ]
        }
    }

    /// Nil for a file that a server has removed since it was listed.
    private func present(_ path: String, as use: FileFacts.Use) throws -> FileFacts? {
        do { return try DoctorFacts.file(path, as: use) } catch let failure as Installation.FileFailure
            where failure.number == ENOENT
        { return nil }
    }

    private func diskFindings() -> [DoctorFinding] {
        do {
            return DoctorRules.disk(try DoctorFacts.disk(settings.dataFolder), folder: settings.dataFolder)
        } catch {
            return [.blocked(.disk, settings.dataFolder, "\(error)", advice: advice(after: error))]
        }
    }
}
