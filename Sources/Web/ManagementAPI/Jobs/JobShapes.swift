import Administration
import AuthorizationCore
import Configuration
import JSONSchema
import Primitives

/// Wire format of jobs.
enum JobShapes {
    static let importing = Shape.object([
        Member.required("users", .text(), "The file").protecting(.identity, ["create:users"]),
        Member.required("connection_id", .text(1...128), "Id of the database of users").protecting(.nothing),
        Member("upsert", .boolean, "True changes users who exist; default: false").protecting(.nothing),
        Member("external_id", .text(0...256), "Any text, for the author").protecting(.nothing),
        Member("send_completion_email", .boolean, "Mail the tenant's administrators; default: true")
            .protecting(.nothing),
    ])

    private static let field = Shape.object([
        Member.required("name", .text(1...256), "Path such as `identities[0].connection`").protecting(.nothing),
        Member("export_as", .text(1...256), "Name in the file").protecting(.nothing),
    ])

    static let exporting = Shape.object([
        Member("connection_id", .text(1...128), "Default: all connections").protecting(.nothing),
        Member("format", .choice(UserJobOrder.Format.allCases.map(\.rawValue)), "Default: json").protecting(.nothing),
        Member("limit", .integer(1...1_000_000_000), "Default: all users").protecting(.nothing),
        Member("fields", .list(field, 0...100), "Default: all").protecting(.nothing),
    ])

    static let job = Shape.object([
        .required("id", .text()), .required("type", .choice(UserJob.Kind.allCases.map(\.rawValue))),
        .required("status", .choice(UserJob.Status.allCases.map(\.rawValue))), .required("created_at", .date),
        Member("connection_id", .text()), Member("connection", .text()), Member("external_id", .text()),
        Member("upsert", .boolean), Member("send_completion_email", .boolean), Member("percentage_done", .integer()),
        Member("time_left_seconds", .integer()), Member("status_details", .text()),
        Member(
            "summary",
            .object([
                .required("total", .integer()), .required("inserted", .integer()), .required("updated", .integer()),
                .required("failed", .integer()),
            ])),
        Member("format", .choice(UserJobOrder.Format.allCases.map(\.rawValue))), Member("limit", .integer()),
        Member("fields", .list(.object([.required("name", .text()), Member("export_as", .text())]))),
        Member("location", .text(), "Address of an export's file, for ten minutes"),
    ])

    static let failure = Shape.object([
        .required("number", .integer(), "Place of the user in the file; the first is 1"), .required("user", .anyObject),
        .required(
            "errors",
            .list(.object([.required("code", .text()), .required("message", .text()), Member("path", .text())]))),
    ])

    static let example: JSONValue = [
        "id": "job_65f0c1d2e3a4b5c6d7e8f9", "type": "users_import", "status": "pending",
        "created_at": "2026-01-31T12:00:00.000Z", "connection_id": "con_0123456789abcdef",
        "connection": .string(LoginConnection.defaultDatabaseName), "upsert": false, "send_completion_email": true,
    ]

    static func json(_ made: ManageUserJobs.Made, link: String? = nil, now: Timestamp) -> JSONObject {
        let (job, order) = (made.job, made.order)
        var json: JSONObject = [
            "id": .string(job.id), "type": .string(job.kind.rawValue), "status": .string(job.status.rawValue),
            "created_at": .string(job.createdAt.iso8601),
        ]
        json["connection_id"] = order.connectionID.map(JSONValue.string)
        json["connection"] = order.connection.map(JSONValue.string)
        switch order.work {
        case .usersImport(let details):
            json["upsert"] = .bool(details.upsert)
            json["send_completion_email"] = .bool(details.sendsMail)
            json["external_id"] = details.externalID.map(JSONValue.string)
        case .usersExport(let details):
            json["format"] = .string(details.format.rawValue)
            json["limit"] = details.limit.map { .number(JSONNumber($0)) }
            json["fields"] = .array(
                details.fields.map { ["name": .string($0.name), "export_as": .string($0.exportAs)] })
            json["location"] = link.map(JSONValue.string)
        }
        switch job.status {
        case .pending: break
        case .processing where job.kind == .usersImport && job.place > 0:
            let taken = (now - job.createdAt) / .seconds(1)
            let left = taken / Double(job.place) * Double(job.parts - job.place)
            json["percentage_done"] = .number(JSONNumber(100 * job.place / job.parts))
            json["time_left_seconds"] = .number(JSONNumber(Int(max(0, left).rounded(.up))))
        case .processing: break
        case .completed, .failed:
            if job.kind == .usersImport { json["summary"] = .object(summary(job.counts)) }
            if job.status == .failed { json["status_details"] = "The job could not go on within its time" }
        }
        return json
    }

    private static func summary(_ counts: UserJob.Counts) -> JSONObject {
        [
            "total": .number(JSONNumber(counts.total)), "inserted": .number(JSONNumber(counts.inserted)),
            "updated": .number(JSONNumber(counts.updated)), "failed": .number(JSONNumber(counts.failed)),
        ]
    }
}
