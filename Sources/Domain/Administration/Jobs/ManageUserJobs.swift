import Audit
package import AuthorizationCore
package import Configuration
package import Primitives

/// Jobs that import and export users (Auth0 Management API v2: `/jobs`).
package struct ManageUserJobs: Sendable {
    /// Largest file of an import over HTTP, in bytes.
    package static let fileLimit = 500_000
    /// Unfinished jobs of a kind that a tenant's programs and persons may have together. An operator's count nowhere.
    package static let unfinishedLimit = 2
    /// Users of one transaction.
    package static let partSize = 100
    /// A job that has not ended by then has failed.
    static let timeout = Duration.seconds(7200)

    let store: any ManagerStore
    let users: ManageUsers
    let ids: ObjectIDs
    let hashing: any Hashing
    let sealer: any Sealer
    let random: any RandomSource
    let mails: any TicketMails

    /// A job with its order.
    package struct Made: Sendable {
        package let job: UserJob
        package let order: UserJobOrder

        package init(job: UserJob, order: UserJobOrder) {
            self.job = job
            self.order = order
        }
    }

    /// Takes a file: a JSON array of users, or users one behind the other, as exports write them. `connection` is an id.
    package func importUsers(
        _ file: [UInt8], into connection: String, _ order: UserJobOrder.Import, for context: AdministrativeContext
    ) async throws -> Made {
        let (elements, database) = try await elements(of: file, into: connection, order, for: context)
        let slices = Self.parts(of: elements)
        let made = try self.made(.usersImport(order), database, parts: slices.count, context)
        let parts = try slices.enumerated().map { number, users in
            let text = Array("[".utf8) + users.map { file[$0] }.joined(separator: Array(",".utf8)) + Array("]".utf8)
            return try sealer.seal(
                text, context: UserJob.partContext(tenant: context.tenant, id: made.job.id, number: number))
        }
        try await add(made, parts, for: context)
        return made
    }

    /// The users of each transaction.
    static func parts(of elements: [Range<Int>]) -> [ArraySlice<Range<Int>>] {
        stride(from: 0, to: elements.count, by: partSize).map { elements[$0..<min($0 + partSize, elements.count)] }
    }

    func elements(
        of file: [UInt8], into connection: String, _ order: UserJobOrder.Import, for context: AdministrativeContext
    ) async throws -> ([Range<Int>], LoginConnection) {
        guard let elements = JSONElements.ranges(in: file) else {
            throw AdministrationFailure.invalid("users", "must be a JSON array of users")
        }
        // An upsert changes users whom somebody else may have made.
        if order.upsert { try context.requireOwn(["update:users"], to: "changing users by an import") }
        let database = try await self.connection(connection, of: context.tenant)
        guard database.isDatabase else {
            throw AdministrationFailure.invalid("connection_id", "must be the tenant's database of users")
        }
        return (elements, database)
    }

    /// `connection` nil exports users of all connections.
    package func exportUsers(
        of connection: String?, _ order: UserJobOrder.Export, for context: AdministrativeContext
    ) async throws -> Made {
        if let index = order.repeatedField {
            throw AdministrationFailure.invalid(
                "fields[\(index)].name", "is named before: each copy costs as much again")
        }
        var found: LoginConnection?
        if let connection { found = try await self.connection(connection, of: context.tenant) }
        let made = try self.made(.usersExport(order), found, parts: 0, context)
        try await add(made, [], for: context)
        return made
    }

    private func connection(_ id: String, of tenant: TenantID) async throws -> LoginConnection {
        let all = try await store.view(tenant) { try $0.connectionsOrDefault() }
        guard let found = all.first(where: { ids.connection($0.name, of: tenant) == id }) else {
            throw AdministrationFailure.invalid("connection_id", "is no connection of this tenant")
        }
        return found
    }

    private func made(
        _ work: UserJobOrder.Work, _ connection: LoginConnection?, parts: Int, _ context: AdministrativeContext
    ) throws -> Made {
        let id = "job_" + Base64URL.encode(random.bytes(16))
        let order = UserJobOrder(
            work, connection: connection?.name, isDatabase: connection?.isDatabase ?? false,
            id: connection.map { ids.connection($0.name, of: context.tenant) },
            linkKey: Base64URL.encode(random.bytes(32)), for: context)
        let sealed = try sealer.seal(
            JSONWriter.bytes(.object(order.json)), context: UserJob.orderContext(tenant: context.tenant, id: id))
        return Made(
            job: UserJob(
                id: id, tenant: context.tenant, kind: work.kind, isLimited: !context.isOperator, sealedOrder: sealed,
                parts: parts, createdAt: context.now), order: order)
    }

    private func add(_ made: Made, _ parts: [[UInt8]], for context: AdministrativeContext) async throws {
        try await store.change(for: context) { change in
            try change.add(made.job, parts: parts, limit: Self.unfinishedLimit)
            try change.record(
                context.event(
                    .created, Self.object(made.job), details: ["type": .string(made.job.kind.rawValue)]))
        }
    }

    package func job(_ id: String, of tenant: TenantID, now: Timestamp) async throws -> Made {
        let since = now - UserJob.retention
        let job = try await store.read { try $0.job(id, in: tenant, since: since) }.orUnknown(.job)
        return Made(job: job, order: try order(of: job))
    }

    /// Users whom an import did not take, with the reasons.
    package func failures(of job: UserJob) async throws -> [UserJobError] {
        try await store.read { try $0.errors(of: job, after: -1, limit: .max) }
    }

    // MARK: commands

    /// Name by which a command finds the job of a file again.
    package func name(of file: [UInt8]) -> String { "file \(Hex.encode(hashing.sha256(file)))" }

    /// A command's import of that name that was interrupted. Programs may give their jobs any name.
    package func unfinished(_ externalID: String?, of tenant: TenantID) async throws -> Made? {
        let jobs = try await store.read { try $0.unfinishedJobs(of: tenant, limit: .max) }
        for job in jobs where job.kind == .usersImport && !job.isLimited {
            let order = try order(of: job)
            if case .usersImport(let details) = order.work, details.externalID == externalID {
                return Made(job: job, order: order)
            }
        }
        return nil
    }

    package func id(ofConnection name: String, in tenant: TenantID) -> String { ids.connection(name, of: tenant) }

    /// Id of the tenant's database of users, which may have any name.
    package func defaultConnection(of tenant: TenantID) async throws -> String {
        let all = try await store.view(tenant) { try $0.connectionsOrDefault() }
        guard let database = all.first(where: \.isDatabase) else {
            throw AdministrationFailure.unsupported(
                "The tenant has no database of users; give it a connection of the strategy auth0 first")
        }
        return id(ofConnection: database.name, in: tenant)
    }

    /// Works a job until it has ended. `progress` gets it after each part.
    package func finish(
        _ job: UserJob, now: () -> Timestamp, _ progress: (UserJob) -> Void
    ) async throws -> UserJob {
        var job = job
        while job.endedAt == nil {
            job = try await work(job, now: now())
            progress(job)
        }
        return job
    }

    func order(of job: UserJob) throws -> UserJobOrder {
        let opened = try sealer.open(
            job.sealedOrder, context: UserJob.orderContext(tenant: job.tenant, id: job.id))
        guard let json = try? JSONReader.parse(opened.bytes).objectValue, let order = UserJobOrder(json) else {
            throw AdministrationFailure.unknown(.job)
        }
        return order
    }

    static func object(_ job: UserJob) -> AuditEvent.Object { AuditEvent.Object(ObjectKind.job.rawValue, job.id) }

    // MARK: work

    /// Does one part of each unfinished job, oldest first, if its tenant's pace admits it. All jobs are looked at, so that
    /// those that wait hold up no other tenant's. False if it did no part. `report` gets the problem of a job that could
    /// not go on; it is tried again until its time is over.
    package func work(now: Timestamp, pace: JobPace, report: (String) -> Void) async throws -> Bool {
        var isDone = false
        for job in try await store.read({ try $0.unfinishedJobs(of: nil, limit: .max) }) {
            do {
                if try await work(job, pace, now: now) {
                    isDone = true
                    continue
                }
            } catch {
                report("\(job.id): \(error)")
            }
            if job.createdAt + Self.timeout < now { try await end(job, as: .failed, now: now) }
        }
        return isDone
    }

    /// False if the job has to wait for its tenant's pace.
    private func work(_ job: UserJob, _ pace: JobPace, now: Timestamp) async throws -> Bool {
        guard job.isLimited else {
            _ = try await work(job, now: now)
            return true
        }
        guard pace.admits(job.tenant, now: now) else { return false }
        let tenant = try await store.read { try $0.tenant(job.tenant) }.orUnknown(.tenant)
        let next = try await work(job, now: now)
        pace.count(
            next.counts.total - job.counts.total, of: job, perMinute: tenant.settings.managementRequestsPerMinute,
            now: now)
        return true
    }

    /// Does the next part, and returns the job as it is then. A part that another process has done is not done again.
    package func work(_ job: UserJob, now: Timestamp) async throws -> UserJob {
        let order = try order(of: job)
        let context = order.context(of: job, now: now)
        do {
            switch order.work {
            case .usersImport(let details): return try await importPart(of: job, order, details, for: context)
            case .usersExport(let details): return try await exportPart(of: job, order, details, for: context)
            }
        } catch is JobMoved {
            let since = now - UserJob.retention
            return try await store.read { try $0.job(job.id, in: job.tenant, since: since) }.orUnknown(.job)
        }
    }

    private func end(_ job: UserJob, as status: UserJob.Status, now: Timestamp) async throws {
        let context = AdministrativeContext(tenant: job.tenant, actor: .system, now: now)
        var ended = job
        ended.status = status
        ended.endedAt = now
        let last = ended
        do {
            try await store.change(for: context) { change in
                try change.advance(last, from: job.place)
                try Self.record(last, change)
            }
        } catch is JobMoved {}
    }

    /// The entry of a job that has ended.
    static func record(_ job: UserJob, _ change: UserChange) throws {
        try change.record(
            change.context.event(
                .changed, object(job),
                details: [
                    "type": .string(job.kind.rawValue), "status": .string(job.status.rawValue),
                    "inserted": .number(JSONNumber(job.counts.inserted)),
                    "updated": .number(JSONNumber(job.counts.updated)),
                    "failed": .number(JSONNumber(job.counts.failed)),
                ]))
    }
}

extension UserJobOrder.Work {
    var kind: UserJob.Kind {
        switch self {
        case .usersImport: .usersImport
        case .usersExport: .usersExport
        }
    }
}

extension Managers {
    package var userJobs: ManageUserJobs {
        ManageUserJobs(
            store: store, users: users, ids: ids, hashing: hashing, sealer: sealer, random: random, mails: mails)
    }
}
