import Administration
import Configuration
import HTTPModel
import ManagementAPI
import Primitives
import Terminal

/// Imports and exports of users at a server, which works the jobs.
struct RemoteUserJobs {
    /// Pauses between two looks at a job.
    private static let pauses = (first: Duration.milliseconds(100), longest: Duration.seconds(5))

    let target: ManagedTenant

    // MARK: imports

    /// Sends a file in parts of the size that the API takes, each after the one before. `each` gets the counts and errors of
    /// every part. Returns the id of a job that could not go on.
    func importUsers(
        _ file: [UInt8], upsert: Bool, each: (UserJob.Counts, [UserJobError]) -> Void
    ) async throws -> String? {
        guard let elements = JSONElements.ranges(in: file), String(validating: file, as: UTF8.self) != nil else {
            throw AdministrationFailure.invalid("users", "must be a JSON array of users")
        }
        let database = try await database()
        var first = 0
        for users in try Self.parts(of: elements) {
            let text = "[\(users.map { String(decoding: file[$0], as: UTF8.self) }.joined(separator: ","))]"
            var request = OperationRequest(
                .post, "/jobs/users-imports",
                body: [
                    "users": .string(text), "connection_id": .string(database), "upsert": .bool(upsert),
                    "send_completion_email": false,
                ])
            request.isForm = true
            let job = try await ended(try await target.answer(request))
            let id = job["id"]?.stringValue ?? ""
            let failures = try await target.all("/jobs/{id}/errors", id)
            each(job.counts, failures.compactMap { UserJobError(shown: $0, from: first) })
            if job["status"]?.stringValue != UserJob.Status.completed.rawValue { return id }
            first += users.count
        }
        return nil
    }

    /// Users that fit into one request together. An empty file is one part, too.
    private static func parts(of elements: [Range<Int>]) throws -> [ArraySlice<Range<Int>>] {
        var parts: [ArraySlice<Range<Int>>] = []
        var (start, size) = (0, 2)
        for (index, element) in elements.enumerated() {
            guard element.count + 2 <= ManageUserJobs.fileLimit else {
                throw CommandFailure(
                    "user \(index + 1) has \(element.count) bytes, and a server takes \(ManageUserJobs.fileLimit)")
            }
            if size + element.count + 1 > ManageUserJobs.fileLimit {
                parts.append(elements[start..<index])
                (start, size) = (index, 2)
            }
            size += element.count + 1
        }
        return parts + [elements[start...]]
    }

    // MARK: exports

    /// `connection` is a name. Nil means all.
    func exportUsers(of connection: String?, _ order: UserJobOrder.Export, _ write: (String) -> Void) async throws {
        var body: JSONObject = ["format": .string(order.format.rawValue)]
        body["limit"] = order.limit.map { .number(JSONNumber($0)) }
        if !order.fields.isEmpty { body["fields"] = .array(order.fields.map { ["name": .string($0.name)] }) }
        if let connection {
            let found = try await target.all("/connections", query: ["name": connection]).first
            guard let id = found?["id"] else {
                throw AdministrationFailure.invalid("connection_id", "is no connection of this tenant")
            }
            body["connection_id"] = id
        }
        let job = try await ended(.object(try await target.send(.post, "/jobs/users-exports", body)))
        guard let client = target.client, let location = job["location"]?.stringValue else {
            throw CommandFailure("the export \(job["id"]?.stringValue ?? "") could not go on")
        }
        var rest: [UInt8] = []
        try await client.download(location) { piece in
            rest += piece
            // Pieces may end within a character.
            guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
            write(String(decoding: rest[...end], as: UTF8.self))
            rest = Array(rest[(end + 1)...])
        }
        write(String(decoding: rest, as: UTF8.self))
    }

    // MARK: jobs

    /// The database of the tenant's users.
    private func database() async throws -> String {
        let found = try await target.all("/connections", query: ["strategy": "auth0"])
        guard let id = found.first?["id"]?.stringValue else {
            throw CommandFailure("the tenant \(target.name) has no database of users")
        }
        return id
    }

    /// The job once it has ended.
    private func ended(_ job: JSONValue) async throws -> JSONObject {
        let id = job["id"]?.stringValue ?? ""
        var pause = Self.pauses.first
        while true {
            let job = try await target.get("/jobs/{id}", id)
            let status = job["status"]?.stringValue.flatMap(UserJob.Status.init(rawValue:))
            if status == .completed || status == .failed { return job }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, Self.pauses.longest)
        }
    }
}

extension JSONObject {
    /// Users that a job has done.
    fileprivate var counts: UserJob.Counts {
        let summary = self["summary"]
        func count(_ name: String) -> Int { summary?[name]?.intValue ?? 0 }
        return UserJob.Counts(inserted: count("inserted"), updated: count("updated"), failed: count("failed"))
    }
}
