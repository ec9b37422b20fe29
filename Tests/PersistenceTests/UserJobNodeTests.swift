import Administration
import Audit
import AuthorizationCore
import Configuration
import Localization
import OpenSSLCrypto
import Persistence
import Primitives
import SQL
import Synchronization
import TestSupport
import Testing

/// Mails that a process dies over, at the end of the last part's transaction.
private final class DyingMails: TicketMails {
    func admit(
        to email: EmailAddress, user: User, tenant: TenantConfiguration?, now: Timestamp
    ) throws(AdministrationFailure) {}

    func mail(
        _ kind: UserTicket.Kind, to email: EmailAddress, user: User, link: String, lifetime: Int, language: Language?,
        client: ClientID?, tenant: Tenant, now: Timestamp
    ) throws -> SealedMail { throw Unexpected("no mail") }

    func imported(
        _ counts: UserJob.Counts, to email: EmailAddress, user: User, tenant: Tenant, now: Timestamp
    ) throws -> SealedMail { throw Unexpected("the process died") }
}

@Suite("Jobs of users at several nodes")
struct UserJobNodeTests {
    private static let tenant = TenantID("dev")
    private static let count = 350
    private static let context = AdministrativeContext(
        tenant: tenant, actor: .client(ClientID("operator")), managementScopes: ["create:users"], now: Samples.start)

    /// A composition of its own over a store, as each process has one.
    private func jobs(_ store: Store) -> ManageUserJobs {
        Managers(
            store: store, random: SystemRandom(), hashing: Samples.hashing, verifier: OpenSSLVerifier(),
            passwords: PlainPasswords(), sealer: Samples.sealer, keys: KnownKeys(), schemas: Samples.schemas,
            mails: DyingMails()
        ).userJobs
    }

    /// A store with an import that nobody has begun.
    private func started(
        _ kind: StoreKind, sendsMail: Bool = false
    ) async throws -> (made: TemporaryStore, job: UserJob) {
        let made = try await kind.populated()
        if sendsMail {
            try await made.store.change { transaction in
                try transaction.put(
                    Samples.user("auth0|chief") {
                        $0.email = EmailAddress(parsing: "chief@example.org")
                        $0.emailVerified = true
                        $0.roles = [Administrators.roleID]
                    }, passwordHash: nil, in: Self.tenant)
            }
        }
        let users = (0..<Self.count).map { number -> JSONValue in
            ["email": .string("u\(number)@example.com"), "user_id": .string("u\(number)")]
        }
        let jobs = jobs(made.store)
        let job = try await jobs.importUsers(
            JSONWriter.bytes(.array(users)), into: try await jobs.defaultConnection(of: Self.tenant),
            UserJobOrder.Import(sendsMail: sendsMail), for: Self.context
        ).job
        return (made, job)
    }

    /// Works part after part without a lease, as a node does that has never heard of another. A database that is busy is
    /// tried again.
    private func work(_ job: UserJob, _ node: ManageUserJobs) async throws {
        let pace = JobPace()
        while try await node.job(job.id, of: Self.tenant, now: Samples.start).job.endedAt == nil {
            do {
                _ = try await node.work(now: Samples.start, pace: pace, report: { _ in })
            } catch is SQLError {}
        }
    }

    private func stored(_ job: UserJob, _ made: TemporaryStore) async throws -> UserJob {
        try await made.store.read { try $0.job(job.id, in: Self.tenant, since: Samples.start) }.orThrow("no job")
    }

    /// Each user is there once, with one entry of the log, and the job's numbers say so.
    private func expectWhole(_ job: UserJob, _ made: TemporaryStore) async throws {
        let ended = try await stored(job, made)
        #expect(ended.status == .completed)
        #expect(ended.counts == UserJob.Counts(inserted: Self.count))
        for number in 0..<Self.count {
            let user = try await made.store.read { try $0.user(UserID("auth0|u\(number)"), in: Self.tenant) }
            #expect(user != nil, "\(number)")
        }
        let entries = try await made.database.auditLog(AuditEvent.Kind.changed.rawValue).compactMap(\.object)
        let users = entries.filter { $0.hasPrefix("user ") }
        #expect(users.count == Self.count && Set(users).count == Self.count)
        #expect(entries.filter { $0.hasPrefix("job ") }.count == 2)
        #expect(try await made.database.count("user_job_part") == 0)
        #expect(try await made.database.count("user_job_error") == 0)
    }

    @Test(
        "An import whose process dies between two parts goes on where it was: nobody twice, and none missing",
        arguments: StoreKind.all)
    func betweenParts(kind: StoreKind) async throws {
        let (made, job) = try await started(kind)
        let first = jobs(made.store)
        let once = try await first.work(job, now: Samples.start)
        #expect(once.place == 1 && once.counts.inserted == 100)
        made.failChanges(with: .unavailable(reason: "the process died"))
        await #expect(throws: (any Error).self) { try await first.work(once, now: Samples.start) }
        made.failChanges(with: nil)
        #expect(try await stored(job, made) == once)
        try await made.withSecondStore { second in
            let pace = JobPace()
            let jobs = jobs(second)
            while try await jobs.work(now: Samples.start, pace: pace, report: { Issue.record("\($0)") }) {}
        }
        try await expectWhole(job, made)
    }

    @Test("A part whose process dies before its commit has written nobody", arguments: StoreKind.all)
    func inPart(kind: StoreKind) async throws {
        let (made, job) = try await started(kind, sendsMail: true)
        let jobs = jobs(made.store)
        let problems = Mutex<[String]>([])
        let pace = JobPace()
        while try await jobs.work(
            now: Samples.start, pace: pace, report: { problem in problems.withLock { $0.append(problem) } })
        {}
        #expect(problems.withLock { $0.count } == 1)
        let last = try await stored(job, made)
        #expect(last.place == 3 && last.counts.inserted == 300 && last.endedAt == nil)
        #expect(try await made.store.read { try $0.user(UserID("auth0|u349"), in: Self.tenant) } == nil)
        // The administrator is gone, so that the next process has no mail to write.
        try await made.store.change { _ = try $0.remove(user: UserID("auth0|chief"), from: Self.tenant) }
        try await made.withSecondStore { second in
            let jobs = self.jobs(second)
            while try await jobs.work(now: Samples.start, pace: pace, report: { Issue.record("\($0)") }) {}
        }
        try await expectWhole(job, made)
    }

    @Test("Users of a job that two nodes work at once are written by one of them each", arguments: StoreKind.all)
    func twoNodes(kind: StoreKind) async throws {
        let (made, job) = try await started(kind)
        try await made.withSecondStore { second in
            let nodes = [jobs(made.store), jobs(second)]
            async let one: Void = work(job, nodes[0])
            async let two: Void = work(job, nodes[1])
            _ = try await (one, two)
        }
        try await expectWhole(job, made)
    }

    @Test("Two nodes that work an export at once write each user once", arguments: StoreKind.all)
    func export(kind: StoreKind) async throws {
        let (made, job) = try await started(kind)
        let first = jobs(made.store)
        _ = try await first.finish(job, now: { Samples.start }) { _ in }
        let export = try await first.exportUsers(
            of: nil, UserJobOrder.Export(fields: [UserJobOrder.ExportedField(name: "user_id")]), for: Self.context)
        let ended = try await made.withSecondStore { second in
            let other = jobs(second)
            async let one: Void = work(export.job, first)
            async let two: Void = work(export.job, other)
            _ = try await (one, two)
            return try await stored(export.job, made)
        }
        var lines: [String] = []
        var number = 0
        let file = ManageUserJobs.Made(job: ended, order: export.order)
        while let text = try await first.text(number, of: file) {
            lines += text.split(separator: "\n").map(String.init)
            number += 1
        }
        // The two that every store has, too.
        #expect(lines.count == Self.count + 2 && Set(lines).count == lines.count)
        #expect(ended.counts.inserted == lines.count)
    }
}
