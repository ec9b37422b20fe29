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

    private func job(_ id: String, tenant: String = "dev", parts: Int = 3, at now: Timestamp = Samples.start) -> UserJob
    {
        UserJob(
            id: id, tenant: TenantID(tenant), kind: .usersImport, sealedOrder: [1, 2], parts: parts, createdAt: now)
    }

    @Test("A job and its parts are read as they were written, by their tenant alone", arguments: StoreKind.all)
    func roundTrip(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let job = job("job_a")
        try await made.store.change { try $0.add(job, parts: [[1], [2], [3]]) }
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
        try await made.store.change { try $0.add(job, parts: [[1], [2], [3]]) }
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
            for job in [first, second, foreign] { try transaction.add(job, parts: [[1], [2], [3]]) }
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

    @Test("A day later, the sweep deletes a job with all that it left", arguments: StoreKind.all)
    func swept(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let (old, new) = (job("job_a"), job("job_b", at: Samples.start + .seconds(86_400)))
        try await made.store.change { transaction in
            for job in [old, new] { try transaction.add(job, parts: [[1], [2], [3]]) }
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
