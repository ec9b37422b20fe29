package import CountersignClient
import Files
import PlatformFoundation
package import Primitives

/// A call that somebody was asked about, so that the same call finds its request again.
package struct PendingCall: Sendable {
    /// Name of the request at the server (`Idempotency-Key`).
    package let key: String
    /// The card as it was sent.
    package let detail: JSONObject
    /// Server, client, person and API that it was sent to.
    package let addressee: JSONObject
    package let startedAt: Timestamp
    /// Nil until the server has acknowledged it. Secret.
    package var request: PendingAuthorization?

    package init(key: String, detail: JSONObject, addressee: JSONObject, startedAt: Timestamp) {
        (self.key, self.detail, self.addressee, self.startedAt) = (key, detail, addressee, startedAt)
    }

    /// Nil for another format.
    package init?(json: JSONValue) {
        guard json["version"] == 1, let key = json["key"]?.stringValue, let detail = json["detail"]?.objectValue,
            let addressee = json["addressee"]?.objectValue,
            let startedAt = json["started_at"]?.stringValue.flatMap(Timestamp.init(iso8601:))
        else { return nil }
        self.init(key: key, detail: detail, addressee: addressee, startedAt: startedAt)
        guard let request = json["request"] else { return }
        guard let read = try? JSONDecoder().decode(PendingAuthorization.self, from: Data(JSONWriter.bytes(request)))
        else { return nil }
        self.request = read
    }

    package var json: JSONValue {
        var object: JSONObject = [
            "version": 1, "key": .string(key), "detail": .object(detail), "addressee": .object(addressee),
            "started_at": .string(startedAt.iso8601),
        ]
        if let request, let data = try? JSONEncoder().encode(request) {
            object["request"] = try? JSONReader.parse(Array(data))
        }
        return .object(object)
    }
}

/// The pending calls, each in a file that only its owner reads. One hook at a time has a call.
package struct PendingCalls: Sendable {
    private let folder: String

    /// Makes the folder if it is missing.
    package init(folder: String) throws {
        self.folder = folder
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw FileFailure("cannot make \(folder)") }
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else {
            throw FileFailure("\(folder) must be a folder of yours that nobody else may enter: chmod 700", number: 0)
        }
    }

    /// A place of the call that no other hook has. An agent that makes the same call twice at once has two places.
    package func claim(_ place: String) throws -> ClaimedCall {
        for slot in 0..<64 {
            // A hook that ends, or a program that somebody starts meanwhile, may have the lock for a moment.
            for _ in 0..<20 {
                if let claimed = try ClaimedCall("\(folder)/\(place).\(slot)") { return claimed }
                usleep(10_000)
            }
        }
        throw FileFailure("64 hooks wait for the same call", number: 0)
    }

    /// All pending calls, the oldest first.
    package func all() -> [PendingCall] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }
            .compactMap { ClaimedCall.read("\(folder)/\($0)") }.sorted { $0.startedAt < $1.startedAt }
    }

    /// Removes calls whose requests ended long ago, and that no hook has.
    package func prune(before: Timestamp) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasSuffix(".json") {
            let path = "\(folder)/\(name.dropLast(5))"
            guard let call = ClaimedCall.read("\(path).json") else { continue }
            let end =
                call.request.map { Timestamp(seconds: Int64($0.expiresAt.timeIntervalSince1970)) } ?? call.startedAt
            if end < before, let claimed = try? ClaimedCall(path) { claimed.remove() }
        }
    }
}

/// A call's file, locked for this process. The lock ends with the process, however that ends.
package final class ClaimedCall: Sendable {
    private let path: String
    private let lock: Int32

    /// Nil if another process has it.
    fileprivate init?(_ path: String) throws {
        self.path = path
        while true {
            let file = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else { throw FileFailure("cannot open \(path).lock") }
            var (held, named) = (stat(), stat())
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                close(file)
                lock = -1
                return nil
            }
            // The one that had it before may have removed it meanwhile.
            if fstat(file, &held) == 0, stat("\(path).lock", &named) == 0, held.st_ino == named.st_ino {
                lock = file
                return
            }
            close(file)
        }
    }

    deinit { if lock >= 0 { close(lock) } }

    /// Nil if the call is new, or its file cannot be read: then the person is asked again.
    package func read() -> PendingCall? { Self.read("\(path).json") }

    fileprivate static func read(_ file: String) -> PendingCall? {
        guard let secret = try? PrivateFile.readSecret(file), let json = try? JSONReader.parse(secret.bytes) else {
            return nil
        }
        return PendingCall(json: json)
    }

    package func store(_ call: PendingCall) throws {
        try PrivateFile.store(SecretBytes(JSONWriter.bytes(call.json)), to: "\(path).json")
    }

    package func remove() {
        unlink("\(path).json")
        unlink("\(path).lock")
    }
}
