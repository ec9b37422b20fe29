import Foundation
import Guardian
import Terminal

/// One enrolment with its key, as the store keeps it.
struct StoredDevice: Codable, Sendable, Equatable {
    var id: String
    var domain: String
    var userID: String
    var name: String
    var localIdentifier: String
    var issuer: String
    var token: String
    var algorithm: String
    /// The private key in the form of the SDK's `data`.
    var key: Data
    var totp: OTPParameters?

    func enrolled() throws -> EnrolledDevice {
        let signingKey: any SigningKey =
            switch SigningAlgorithm(rawValue: algorithm) {
            case .es256: try P256PrivateKey(data: key)
            case .rs256: try DataRSAPrivateKey(data: key)
            case nil: throw CommandFailure("the store has a key for \(algorithm), which this version does not know")
            }
        return EnrolledDevice(
            id: id, userId: userID, deviceToken: token, notificationToken: nil, signingKey: signingKey, totp: totp,
            localIdentifier: localIdentifier, name: name, issuer: issuer)
    }
}

/// The file with keys and enrolments: readable by its owner only, and replaced as a whole.
struct DeviceStore: Sendable {
    let path: String

    private struct Content: Codable {
        var devices: [StoredDevice]
    }

    /// XDG Base Directory Specification.
    static func defaultPath(environment: [String: String]) throws -> String {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/share"
        return data + "/guardian/devices.json"
    }

    /// Empty where there is no file yet.
    func devices() throws -> [StoredDevice] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        let failure = errno
        guard descriptor >= 0 else {
            if failure == ENOENT { return [] }
            throw problem("read", failure)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw problem("read", errno) }
        guard status.st_mode & 0o077 == 0 else {
            throw CommandFailure("\(path) can be read by others, and it holds keys", hint: "chmod 600 '\(path)'")
        }
        do {
            return try JSONDecoder().decode(Content.self, from: try file.readToEnd() ?? Data()).devices
        } catch {
            throw CommandFailure("\(path) is damaged", hint: "restore it from a backup, or name another with --store")
        }
    }

    /// The one enrolment that fits; an error says which there are where it is not one.
    func device(id: String?, domain: String?) throws -> StoredDevice {
        let all = try devices()
        let fitting = all.filter { (id == nil || $0.id == id) && (domain == nil || $0.domain == domain) }
        if fitting.count == 1 { return fitting[0] }
        if fitting.isEmpty {
            guard all.isEmpty else { throw CommandFailure("no enrolment fits", hint: "guardian devices lists them") }
            throw CommandFailure("this phone is not enrolled", hint: "guardian enroll URI enrols it")
        }
        throw CommandFailure(
            "more than one enrolment fits: \(fitting.map(\.id).joined(separator: ", "))", hint: "name one with --device"
        )
    }

    /// Changes the enrolments; no other process can change them meanwhile, and a crash leaves the old file or the new.
    func update(_ change: (inout [StoredDevice]) throws -> Void) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw CommandFailure("cannot make the folder \(folder)") }
        let lock = open(folder, O_RDONLY | O_CLOEXEC)
        guard lock >= 0 else { throw problem("open the folder of", errno) }
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else { throw problem("lock the folder of", errno) }
        var devices = try devices()
        try change(&devices)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try replace(with: try encoder.encode(Content(devices: devices)))
        fsync(lock)
    }

    private func replace(with data: Data) throws {
        let temporary = path + ".new"
        // Left by a process that was killed; the lock says that nobody writes it now.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw problem("write", errno) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: data)
            try file.synchronize()
        } catch { throw CommandFailure("cannot write \(path): \(error)") }
        guard rename(temporary, path) == 0 else { throw problem("replace", errno) }
    }

    private func problem(_ action: String, _ number: Int32) -> CommandFailure {
        CommandFailure("cannot \(action) \(path): \(String(cString: strerror(number)))")
    }
}
