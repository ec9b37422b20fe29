import Audit
import AuthorizationCore
import Configuration
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: jobs of users")
struct UserJobContractTests {
    private static let tenant = TenantID("dev")

    private func job(
        _ id: String, tenant: String = "dev", kind: UserJob.Kind = .usersImport, isLimited: Bool = true, parts: Int = 3,
        at now: Timestamp = Samples.start
    ) -> UserJob {
        UserJob(
            id: id, tenant: TenantID(tenant), kind: kind, isLimited: isLimited, sealedOrder: [1, 2],
            parts: parts, createdAt: now)
    }

    @Test("A job and its parts are read as they were written, by their tenant alone", arguments: StoreKind.all)
    func roundTrip(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let job = job("job_a")
        #expect(try await made.store.change { try $0.add(job, parts: [[1], [2], [3]], limit: 2) })
        #expect(try await made.store.read { try $0.job("job_a", in: Self.tenant, since: Samples.start) } == job)
        #expect(try await made.store.read { try $0.job("job_a", in: TenantID("other"), since: Samples.start) } == nil)
        #expect(
            try await made.store.read { try $0.job("job_a", in: Self.tenant, since: Samples.start + .seconds(1)) }
                == nil)
        #expect(try await made.store.read { try $0.part(1, of: job) } == [2])
        #expect(try await made.store.read { try $0.part(3, of: job) } == nil)
    }

    @Test("A part is done once: the second process changes nothing", arguments: StoreKind.all)
    func once(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let job = job("job_a")
        #expect(try await made.store.change { try $0.add(job, parts: [[1], [2], [3]], limit: 2) })
        var next = job
        next.place = 1
        next.status = .processing
        next.counts.inserted = 5
        next.counts.failed = 1
        let advanced = next
        let error = UserJobError(number: 4, document: ["user": ["email": "a"], "errors": []])
        #expect(try await made.store.change { try $0.advance(advanced, from: 0, adding: [:], errors: [error]) })
        #expect(try await !made.store.change { try $0.advance(advanced, from: 0, adding: [:], errors: []) })
        #expect(try await made.store.read { try $0.job("job_a", in: Self.tenant, since: Samples.start) } == advanced)
        #expect(try await made.store.read { try $0.part(0, of: job) } == nil, "the part that is done is gone")
        #expect(try await made.store.read { try $0.part(1, of: job) } == [2])
        #expect(try await made.store.read { try $0.errors(of: job, after: -1, limit: 10) } == [error])
        #expect(try await made.store.read { try $0.errors(of: job, after: 4, limit: 10) }.isEmpty)
    }

    @Test("An ended job is not worked again, and keeps no part of an import", arguments: StoreKind.all)
    func ended(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let (first, second, foreign) = (job("job_a"), job("job_b"), job("job_c", tenant: "other"))
        try await made.store.change { transaction in
            for job in [first, second, foreign] { _ = try transaction.add(job, parts: [[1], [2], [3]], limit: 2) }
        }
        var last = first
        last.status = .failed
        last.endedAt = Samples.start + .seconds(5)
        let failed = last
        #expect(try await made.store.change { try $0.advance(failed, from: 0, adding: [:], errors: []) })
        #expect(try await !made.store.change { try $0.advance(failed, from: 0, adding: [:], errors: []) })
        #expect(try await made.store.read { try $0.part(2, of: first) } == nil)
        #expect(
            try await made.store.read { try $0.unfinishedJobs(of: nil, limit: 10) }.map(\.id) == ["job_b", "job_c"])
        #expect(try await made.store.read { try $0.unfinishedJobs(of: Self.tenant, limit: 10) }.map(\.id) == ["job_b"])
        #expect(try await made.store.read { try $0.unfinishedJobs(of: nil, limit: 1) }.map(\.id) == ["job_b"])
    }

    @Test(
        "The limit counts the tenant's own unfinished jobs of the kind, however many others there are",
        arguments: StoreKind.all)
    func limit(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func isAdded(_ job: UserJob) async throws -> Bool {
            try await made.store.change { try $0.add(job, parts: [[1]], limit: 2) }
        }
        for number in 0..<7 {
            #expect(try await isAdded(job("job_operator\(number)", isLimited: false)), "an operator's count nowhere")
        }
        #expect(try await isAdded(job("job_foreign", tenant: "other")))
        for number in 0..<2 { #expect(try await isAdded(job("job_export\(number)", kind: .usersExport))) }
        #expect(try await isAdded(job("job_a")))
        #expect(try await isAdded(job("job_b")))
        #expect(try await !isAdded(job("job_c")))
        #expect(try await made.store.read { try $0.job("job_c", in: Self.tenant, since: Samples.start) } == nil)
        #expect(try await isAdded(job("job_operator", isLimited: false)), "nor are they held up")
        var done = job("job_a")
        done.status = .completed
        done.endedAt = Samples.start
        let ended = done
        #expect(try await made.store.change { try $0.advance(ended, from: 0, adding: [:], errors: []) })
        #expect(try await isAdded(job("job_c")))
    }

    @Test("Jobs that are made at once over two connections are as many as may be", arguments: StoreKind.all)
    func race(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let added = try await made.withSecondStore { second in
            let stores = [made.store, second]
            return try await winners(of: 20) { number in
                let job = self.job("job_\(number)")
                return try await stores[number % 2].change { try $0.add(job, parts: [], limit: 2) }
            }
        }
        #expect(added == 2)
    }

    @Test("A day later, the sweep deletes a job with all that it left", arguments: StoreKind.all)
    func swept(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let (old, new) = (job("job_a"), job("job_b", at: Samples.start + .seconds(86_400)))
        try await made.store.change { transaction in
            for job in [old, new] { _ = try transaction.add(job, parts: [[1], [2], [3]], limit: 2) }
        }
        var cursor = SweepCursor()
        repeat {
            _ = try await made.store.sweep(
                &cursor, endedBefore: Samples.start, now: Samples.start + .seconds(86_401))
        } while !cursor.isAtStart
        #expect(try await made.database.count("user_job") == 1)
        #expect(try await made.database.count("user_job_part") == 3)
    }
}
