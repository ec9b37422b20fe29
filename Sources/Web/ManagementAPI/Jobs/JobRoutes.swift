import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives
import Routing

/// `/jobs`: imports and exports of users.
struct JobRoutes: Sendable {
    let jobs: ManageUserJobs
    private let downloads = ExportDownloads()

    init(jobs: ManageUserJobs) { self.jobs = jobs }

    private static let group = RouteGroup("Jobs", scopes: "users")
    private static let reading = [["create:users"], ["read:users"]]
    private static let tooMany = (429, "Two jobs of the kind are unfinished, or there were too many requests")

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .post, "/jobs/users-imports", "import_users", "Import users from a file", in: Self.group,
                details: """
                    The file is a JSON array in Auth0's schema of bulk imports, or one object a line, and has at most \
                    \(ManageUserJobs.fileLimit) bytes. `upsert` needs `update:users`, too.
                    """,
                body: Operation.Body(JobShapes.importing, mediaTypes: ["multipart/form-data"]),
                answer: Operation.Answer(202, "The job", JobShapes.job, example: JobShapes.example),
                refusals: [(413, "The file is too large"), Self.tooMany], importUsers),
            ManagementRoute(
                .post, "/jobs/users-exports", "export_users", "Export users to a file", in: Self.group,
                scopes: [["read:users"]],
                body: Operation.Body(
                    JobShapes.exporting, example: ["format": "csv", "fields": [["name": "email"]]]),
                answer: Operation.Answer(202, "The job", JobShapes.job), refusals: [Self.tooMany], exportUsers),
            ManagementRoute(
                .get, "/jobs/{id}", "get_job", "Show a job, for a day", in: Self.group, scopes: Self.reading,
                answer: Operation.Answer(200, "The job", JobShapes.job, example: JobShapes.example)
            ) { call in
                let made = try await jobs.job(call.id(), of: call.tenant, now: call.now)
                // The link in it is all that an export's file needs.
                if made.job.kind == .usersExport {
                    try call.context.requireOwn(["read:users"], to: "reading an export")
                }
                return .object(JobShapes.json(made, link: link(to: made, call), now: call.now))
            },
            ManagementRoute(
                .get, "/jobs/{id}/errors", "get_job_errors", "Show the users whom an import did not take",
                in: Self.group,
                scopes: Self.reading,
                answer: Operation.Answer(200, "The users and the reasons", .list(JobShapes.failure)),
                refusals: [(204, "The import took all")]
            ) { call in
                let made = try await jobs.job(call.id(), of: call.tenant, now: call.now)
                let errors = try await jobs.failures(of: made.job).map(\.shown)
                return errors.isEmpty ? .nothing() : .value(.array(errors.map(JSONValue.object)))
            },
        ]
    }

    @Sendable private func importUsers(_ call: ManagementCall) async throws -> ManagementAnswer {
        let document = call.document
        let file = Array((document["users"]?.stringValue ?? "").utf8)
        guard file.count <= ManageUserJobs.fileLimit else {
            throw ManagementFailure(
                413, "The file has more than \(ManageUserJobs.fileLimit) bytes; send several", code: "payload_too_large"
            )
        }
        let made = try await jobs.importUsers(
            file, into: document["connection_id"]?.stringValue ?? "",
            UserJobOrder.Import(
                upsert: document["upsert"]?.boolValue ?? false,
                sendsMail: document["send_completion_email"]?.boolValue ?? true,
                externalID: document["external_id"]?.stringValue), for: call.context)
        return .object(JobShapes.json(made, now: call.now), status: 202)
    }

    @Sendable private func exportUsers(_ call: ManagementCall) async throws -> ManagementAnswer {
        let document = call.document
        let fields = (document["fields"]?.arrayValue ?? []).map { field in
            UserJobOrder.ExportedField(
                name: field["name"]?.stringValue ?? "", exportAs: field["export_as"]?.stringValue)
        }
        let format = document["format"]?.stringValue.flatMap(UserJobOrder.Format.init(rawValue:))
        let made = try await jobs.exportUsers(
            of: document["connection_id"]?.stringValue,
            UserJobOrder.Export(
                format: format ?? .json, limit: document["limit"]?.intValue, fields: fields), for: call.context)
        return .object(JobShapes.json(made, now: call.now), status: 202)
    }

    // MARK: files of exports

    /// Not below the API's prefix, where each operation needs a token.
    private static let files = "/exports"

    private func link(to made: ManageUserJobs.Made, _ call: ManagementCall) -> String? {
        jobs.link(to: made, now: call.now).map { link in
            "\(call.configuration.tenant.issuer)\(Self.files.dropFirst())/\(link)"
        }
    }

    /// The link of a job's `location` is its own proof, since programs fetch it without a token.
    func file(_ errors: ErrorRenderer) -> Route {
        let operation = Operation(
            "get_export", "Fetch the file of an export", tag: "Jobs",
            details: "The address is the `location` of a job, and works for ten minutes.", security: .open,
            answers: [
                Operation.Answer(200, "The users", .text(), mediaType: "application/x-ndjson"),
                Operation.Answer(404, "The link is wrong or over", .reference(ManagementComponents.failure)),
                Operation.Answer(
                    429, "The tenant's files are being fetched too often at once",
                    .reference(ManagementComponents.failure)),
            ])
        let handle: Route.Handle = { call in try await fetch(call, errors) }
        return Route(
            path: Self.files + "/{id}/{end}/{proof}", .management, [.get: (operation, handle)])
    }

    /// The file goes out part by part, each read when the client has taken the one before. So a client that is slow or
    /// leaves holds one part, and no transaction.
    private func fetch(_ call: EndpointCall, _ errors: ErrorRenderer) async throws -> Response {
        let made = try await jobs.export(
            call.parameter("id"), until: call.parameter("end"), proof: call.parameter("proof"), of: call.tenant.id,
            now: call.now)
        let download = try downloads.begin(made, of: jobs)
        let isTable = made.order.isTable
        return Response(
            status: 200,
            fields: [
                "Content-Type": isTable ? "text/csv; charset=utf-8" : "application/x-ndjson",
                "Cache-Control": "no-store",
                "Content-Disposition": "attachment; filename=\"users.\(isTable ? "csv" : "json")\"",
            ],
            body: .parts {
                do {
                    return try await download.next()
                } catch {
                    errors.note("export not sent to its end: \(error)", 200, call.request)
                    throw error
                }
            })
    }
}

extension UserJobOrder {
    fileprivate var isTable: Bool { if case .usersExport(let export) = work { export.format == .csv } else { false } }
}
