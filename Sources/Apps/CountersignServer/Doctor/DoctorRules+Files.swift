/// Judgements of a doctor: from facts to findings, without looking at anything itself.
enum DoctorRules {}

/// A file or folder, as the system describes it.
struct FileFacts: Sendable {
    enum Use: Sendable {
        case folder
        /// For its owner alone.
        case secret
        /// A key that a group may read, as keys of certificates commonly are.
        case certificateKey
        /// Settings with a password, which the server's group may read.
        case settings
        case `public`
    }

    let path: String
    var use: Use
    let mode: UInt32
    let owner: Account
    var isFolder = false
    /// False if the server has to change it and may not.
    var isWritable = true
}

/// Room on a file system. Inodes are 0 if it has no fixed number of them.
struct DiskFacts: Sendable {
    let freeBytes: Double
    let bytes: Double
    var freeInodes = 0.0
    var inodes = 0.0
    /// True if it is mounted for reading alone.
    var isReadOnly = false

    /// True if every change finds room. Small ones find some in the database's log even when none is left.
    var takesChanges: Bool { !isReadOnly && freeBytes >= 1_048_576 }
}

extension DoctorRules {
    /// - Parameters:
    ///   - owner: The owner of the data folder, and so the account of the server.
    ///   - unlisted: Folders whose files could not be listed, with the reason and maybe an advice.
    static func files(
        _ files: [FileFacts], owner: Account, unlisted: [(path: String, reason: String, advice: String?)] = []
    ) -> [DoctorFinding] {
        var findings = unlisted.map { folder in
            DoctorFinding.blocked(.files, folder.path, folder.reason, advice: folder.advice)
        }
        for file in files {
            let modes: (forbidden: UInt32, wanted: String) =
                switch file.use {
                case .folder: (0o077, "0700")
                case .secret: (0o077, "0600")
                case .certificateKey: (0o007, "0600")
                case .settings: (0o027, "0640")
                case .public: (0o022, "0644")
                }
            if file.mode & modes.forbidden != 0 {
                let mode = String(file.mode, radix: 8)
                let group =
                    file.use == .settings
                    ? ", and give it the group of \(owner.name); it has a password of the store" : ""
                let advice = "run: chmod \(modes.wanted) \(file.path)\(group)"
                findings.append(
                    file.use == .folder || file.use == .public
                        ? .warning(.files, file.path, "others than its owner may use it (mode \(mode))", advice: advice)
                        : .fault(.files, file.path, "others than its owner may read it (mode \(mode))", advice: advice))
            }
            if file.owner != owner, file.use != .certificateKey, file.use != .settings {
                let finding = "it belongs to \(file.owner.name), but the data folder to \(owner.name)"
                let advice = "run: chown \(owner.name) \(file.path)"
                findings.append(
                    file.use == .public
                        ? .warning(.files, file.path, finding, advice: advice)
                        : .fault(.files, file.path, "\(finding), who may not open it", advice: advice))
            }
            if !file.isWritable {
                findings.append(
                    .fault(
                        .files, file.path, "\(owner.name), the server's account, may not write it",
                        advice: "run: chmod \(modes.wanted) \(file.path)"))
            }
        }
        if findings.isEmpty, let first = files.first {
            let count = files.count == 1 ? "1 file or folder has" : "\(files.count) files and folders have"
            findings.append(.ok(.files, first.path, "\(count) a safe mode and belong to \(owner.name)"))
        }
        return findings
    }

    /// Warns below 10 % or 1 GB of free space, and below 10 % of free inodes. Less than 2 %, or 100 MB, is a fault, and
    /// so is a file system that cannot be written.
    static func disk(_ disk: DiskFacts, folder: String) -> [DoctorFinding] {
        guard !disk.isReadOnly else {
            return [
                .fault(
                    .disk, folder, "the file system is mounted read-only, so the server refuses every change",
                    advice: "mount it for writing; dmesg may show errors of the disk after which the system did that")
            ]
        }
        let space =
            "\(inBytes(disk.freeBytes)) of \(inBytes(disk.bytes)) free (\(percent(disk.freeBytes, of: disk.bytes)))"
        let advice =
            "free some space or enlarge the file system: on a full one the server refuses every change. countersign "
            + "log archive moves old entries of the audit log out of the database"
        var findings: [DoctorFinding] = []
        if disk.freeBytes < 100e6 || disk.freeBytes < disk.bytes * 0.02 {
            findings.append(.fault(.disk, folder, space, advice: advice))
        } else if disk.freeBytes < 1e9 || disk.freeBytes < disk.bytes * 0.1 {
            findings.append(.warning(.disk, folder, space, advice: advice))
        } else {
            findings.append(.ok(.disk, folder, space))
        }
        guard disk.inodes > 0, disk.freeInodes < disk.inodes * 0.1 else { return findings }
        let inodes = "\(percent(disk.freeInodes, of: disk.inodes)) of the inodes are free"
        let cleaning = "delete files that nobody needs: without inodes no file can be created"
        findings.append(
            disk.freeInodes < disk.inodes * 0.02
                ? .fault(.disk, folder, inodes, advice: cleaning) : .warning(.disk, folder, inodes, advice: cleaning))
        return findings
    }

    static func inBytes(_ bytes: Double) -> String {
        let units: [(name: String, size: Double)] = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]
        guard let unit = units.first(where: { bytes >= $0.size }) else { return "\(Int64(bytes)) bytes" }
        let tenths = Int64(bytes / unit.size * 10)
        return "\(tenths / 10).\(tenths % 10) \(unit.name)"
    }

    private static func percent(_ part: Double, of whole: Double) -> String {
        whole > 0 ? "\(Int64(part / whole * 100)) %" : "0 %"
    }
}
