import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import Primitives
import Terminal

/// Commands that move many users: imports and exports as jobs, which a crash does not end.
extension Command {
    private static let importedFile = Option<String>.argument(
        "FILE", .path, "JSON array of users, or an object a line. - reads standard input.")
    private static let upsert = Option<Bool>.flag("upsert", "Change users who exist, instead of leaving them out.")
    private static let dryRun = Option<Bool>.flag("dry-run", "Show what would be imported, and change nothing.")
    private static let connection = Option<String?>.optional(
        "connection", .string.placeholder("NAME"), defaultText: "the tenant's database", "Connection of the users.")
    /// Lines of users who were not taken.
    private static let shownErrors = 20

    static var userImport: Command {
        ObjectCommands.work(
            "import", "Import users from a file, with their passwords' hashes of another server.",
            [importedFile, upsert, dryRun],
            discussion: """
                The file is in Auth0's schema of bulk imports, and may also have each user's roles. Users are written \
                in small transactions. After a crash, the same command goes on where it was; a running server does so \
                by itself. With --server, the file is sent in parts, and there is no --dry-run.
                """,
            examples: [
                "look first": "countersign user import users.json --dry-run",
                "and then do it": "countersign user import users.json",
                "change those who exist, too": "countersign user import users.json --upsert",
            ]
        ) { target, invocation in
            let file = try readFile(try invocation[importedFile])
            let report = ImportReport()
            let isTrial = try invocation[dryRun]
            let upsert = try invocation[upsert]
            let broken: String?
            if let (installation, tenant) = target.home {
                broken = try await importHere(
                    file, upsert: upsert, isTrial: isTrial, installation.userJobs, context(tenant, invocation), report,
                    invocation)
            } else {
                guard !isTrial else {
                    throw UsageError(
                        "--dry-run of an import and --server exclude each other",
                        hint: "run it on the server's machine, or import a few users first")
                }
                let jobs = RemoteUserJobs(target: target)
                broken = try await working(invocation) {
                    try await jobs.importUsers(file, upsert: upsert) { report.add($0, $1) }
                }
            }
            try report.show(as: isTrial ? "would be" : "", invocation)
            if let broken { throw CommandFailure("the import \(broken) could not go on") }
        }
    }

    /// The context of a job at home.
    private static func context(_ tenant: Tenant, _ invocation: Invocation) -> AdministrativeContext {
        AdministrativeContext(tenant: tenant.id, actor: .commandLine(invocation), now: SystemClock().now)
    }

    /// Returns the id of a job that could not go on.
    private static func importHere(
        _ file: [UInt8], upsert: Bool, isTrial: Bool, _ jobs: ManageUserJobs, _ context: AdministrativeContext,
        _ report: ImportReport, _ invocation: Invocation
    ) async throws -> String? {
        let order = UserJobOrder.Import(upsert: upsert, externalID: jobs.name(of: file))
        let database = try await jobs.defaultConnection(of: context.tenant)
        if isTrial {
            try await jobs.tryImport(file, into: database, order, for: context) { report.add($0, $1) }
            return nil
        }
        let waiting = try await jobs.unfinished(order.externalID, of: context.tenant)
        if let waiting { invocation.output.note("Going on with \(waiting.job.id), which was interrupted") }
        let made: ManageUserJobs.Made
        if let waiting {
            made = waiting
        } else {
            made = try await jobs.importUsers(file, into: database, order, for: context)
        }
        let ended = try await finished(made.job, jobs, invocation)
        report.add(ended.counts, try await jobs.failures(of: ended))
        return ended.status == .completed ? nil : ended.id
    }

    static var userExport: Command {
        let format = Option<UserJobOrder.Format>.defaulted(
            "format", .choice(), to: .json, "An object a line, or a table.")
        let fields = Option<String?>.optional(
            "fields", .string.placeholder("LIST"), defaultText: "all",
            "Members, with commas between them, such as email,app_metadata.plan.")
        let limit = Option<Int?>.optional(
            "limit", .integer(1...1_000_000_000), defaultText: "all", "Number of users.")
        return ObjectCommands.work(
            "export", "Print users as an object a line or as a table, without passwords.",
            [format, fields, limit, connection],
            examples: [
                "all users": "countersign user export > users.ndjson",
                "a table": "countersign user export --format csv --fields user_id,email,created_at",
            ]
        ) { target, invocation in
            let names = try invocation[fields].map { $0.split(separator: ",").map(String.init) } ?? []
            let order = UserJobOrder.Export(
                format: try invocation[format], limit: try invocation[limit],
                fields: names.map { UserJobOrder.ExportedField(name: $0) })
            guard let (installation, tenant) = target.home else {
                let jobs = RemoteUserJobs(target: target)
                return try await jobs.exportUsers(of: try invocation[connection], order) {
                    invocation.output.verbatim($0)
                }
            }
            let jobs = installation.userJobs
            let made = try await jobs.exportUsers(
                of: try invocation[connection].map { jobs.id(ofConnection: $0, in: tenant.id) }, order,
                for: context(tenant, invocation))
            let ended = ManageUserJobs.Made(job: try await finished(made.job, jobs, invocation), order: made.order)
            var number = 0
            while let text = try await jobs.text(number, of: ended) {
                invocation.output.verbatim(text)
                number += 1
            }
        }
    }

    /// Shows on a terminal that a server works.
    private static func working<Result: Sendable>(
        _ invocation: Invocation, _ work: () async throws -> Result
    ) async throws -> Result {
        guard invocation.output.diagnostics.isTerminal else { return try await work() }
        return try await invocation.output.progress("Working") { _ in try await work() }
    }

    /// Works the job until it has ended. A server may do so at the same time.
    private static func finished(
        _ job: UserJob, _ jobs: ManageUserJobs, _ invocation: Invocation
    ) async throws -> UserJob {
        guard invocation.output.diagnostics.isTerminal else {
            return try await jobs.finish(job, now: { SystemClock().now }) { _ in }
        }
        return try await invocation.output.progress("Working") { progress in
            try await jobs.finish(job, now: { SystemClock().now }) { job in
                progress.update(
                    "\(job.counts.total) users\(job.parts > 0 ? ", part \(job.place) of \(job.parts)" : "")")
            }
        }
    }

    /// Numbers of users, and those who were not taken.
    private final class ImportReport {
        private var counts = UserJob.Counts()
        private var errors: [UserJobError] = []

        func add(_ counts: UserJob.Counts, _ errors: [UserJobError]) {
            self.counts = UserJob.Counts(
                inserted: self.counts.inserted + counts.inserted, updated: self.counts.updated + counts.updated,
                failed: self.counts.failed + counts.failed)
            self.errors += errors
        }

        func show(as verb: String, _ invocation: Invocation) throws {
            let json: JSONValue = [
                "inserted": .number(JSONNumber(counts.inserted)), "updated": .number(JSONNumber(counts.updated)),
                "failed": .number(JSONNumber(counts.failed)),
                "errors": .array(errors.map { .object($0.document) }),
            ]
            let lines = errors.prefix(Command.shownErrors).map { Text($0.line) }
            let rest = errors.count - lines.count
            let more = rest > 0 ? [Text("and \(rest) more; --json shows all")] : []
            let verb = verb.isEmpty ? "" : "\(verb) "
            try ObjectCommands.print(
                json,
                lines + more + [
                    Text(
                        "\(counts.inserted) \(verb)added, \(counts.updated) \(verb)changed, \(counts.failed) not taken")
                ], invocation)
        }
    }
}

extension UserJobError {
    fileprivate var line: String {
        let user = document["user"]
        let name = (user?["email"] ?? user?["username"] ?? user?["user_id"])?.stringValue ?? "user"
        let reasons = (document["errors"]?.arrayValue ?? []).map { error in
            [error["path"], error["message"]].compactMap { $0?.stringValue }.joined(separator: " ")
        }
        return "\(number + 1): \(name): \(reasons.joined(separator: "; "))"
    }
}
