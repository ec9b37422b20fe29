import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import JOSE
import OpenSSLCrypto
import Persistence
import Primitives
import SQL
import Synchronization
import TestSupport
import Testing

@Suite("Store contract: the end of the audit log is watched")
struct AuditWatchContractTests {
    /// A store with `count` entries, and its later reports.
    private func watched(_ count: Int, _ kind: StoreKind) async throws -> (made: TemporaryStore, lost: Lost) {
        let made = try await kind.populated()
        let lost = Lost()
        made.store.watchAuditLog { lost.add($0) }
        for number in 0..<count { try await made.store.record(event(number)) }
        return (made, lost)
    }

    private func event(_ number: Int) -> AuditEvent {
        AuditEvent(.approved, tenant: TenantID("dev"), at: Samples.start + .seconds(number))
    }

    /// A store of the same database, like another process.
    private func other(than made: TemporaryStore) -> Store {
        Store(database: made.database, hashing: Samples.hashing, rows: Samples.sealer)
    }

    @Test(
        "Truncated entries of each lane are reported once, with the known and the found head", arguments: StoreKind.all)
    func cutOff(_ kind: StoreKind) async throws {
        let (made, lost) = try await watched(7, kind)
        let known = try await made.store.auditHeads()
        try await made.tamper("DELETE FROM audit_log WHERE id > 4")
        let found = try await other(than: made).auditHeads()
        let cut = known.all.filter { found[$0.place.lane] != $0 }
        #expect(lost.all.isEmpty && !cut.isEmpty)
        for number in 8..<20 { try await made.store.record(event(number)) }
        let reports = lost.all.sorted { $0.known.place < $1.known.place }
        #expect(reports.map(\.known) == cut)
        #expect(reports.map(\.found) == cut.map { found[$0.place.lane] })
    }

    @Test("Truncated entries are reported even if another process appended as many since", arguments: StoreKind.all)
    func regrown(_ kind: StoreKind) async throws {
        let (made, lost) = try await watched(7, kind)
        let known = try await made.store.auditHeads()
        try await made.tamper("DELETE FROM audit_log WHERE id > 4")
        let left = try await other(than: made).auditHeads()
        for number in 10..<22 { try await other(than: made).record(event(number)) }
        for number in 22..<26 { try await made.store.record(event(number)) }
        let cut = known.all.filter { left[$0.place.lane] != $0 }
        #expect(lost.all.map(\.known).sorted { $0.place < $1.place } == cut)
        #expect(lost.all.allSatisfy { ($0.found?.place.number ?? 0) >= $0.known.place.number })
    }

    @Test(
        "Entries are counted by kind once committed, and not if rolled back",
        arguments: StoreKind.all)
    func counts(_ kind: StoreKind) async throws {
        struct Refused: Error {}
        let (made, _) = try await watched(2, kind)
        await #expect(throws: Refused.self) {
            try await made.store.change { transaction in
                try transaction.record(event(3))
                throw Refused()
            }
        }
        #expect(made.store.eventCounts[.approved] == 2)
        #expect(made.store.eventCounts[.rejected] == nil)
    }

    @Test("Entries that another process moved to an archive are no loss", arguments: StoreKind.all)
    func archived(_ kind: StoreKind) async throws {
        let (made, lost) = try await watched(3, kind)
        let other = Store(database: made.database, hashing: Samples.hashing, rows: Samples.sealer)
        for number in 4...5 { try await other.record(event(number)) }
        let last = try #require(try await other.lastArchivable(before: Samples.start + .seconds(1000)))
        let archived = AuditHeads(
            try await made.store.entries(after: 0, limit: 100).filter { $0.sequence <= last }.map { stored in
                AuditHead(place: stored.place, hash: try #require(stored.hash))
            })
        let signer = try OpenSSLSigner.generate(algorithm: .edDSA)
        try await other.removeArchived(ArchivedHead(signing: archived, at: Samples.start, with: signer))
        for number in 6..<10 { try await made.store.record(event(number)) }
        #expect(lost.all.isEmpty)
        // Lanes go on behind their archived entries.
        let report = try await VerifyAuditLog(
            store: made.store, hashing: Samples.hashing, verifier: OpenSSLVerifier()
        ).verify()
        #expect(report.finding == nil && report.archived == archived && report.heads.total == 9)
    }

    @Test("An emptied log is reported, including entries from before the start", arguments: StoreKind.all)
    func emptied(_ kind: StoreKind) async throws {
        let (made, _) = try await watched(6, kind)
        let later = Store(database: made.database, hashing: Samples.hashing, rows: Samples.sealer)
        let lost = Lost()
        later.watchAuditLog { lost.add($0) }
        let known = try await later.auditHeads()
        try await made.tamper("DELETE FROM audit_log")
        for number in 7..<13 { try await later.record(event(number)) }
        #expect(lost.all.map(\.known).sorted { $0.place < $1.place } == known.all)
        #expect(lost.all.allSatisfy { $0.found == nil })
    }

    @Test(
        "Changes that are rolled back, alone or in a batch, and other processes' entries are no loss",
        arguments: StoreKind.all)
    func takenBack(_ kind: StoreKind) async throws {
        struct Refused: Error {}
        let (made, lost) = try await watched(3, kind)
        let other = Store(database: made.database, hashing: Samples.hashing, rows: Samples.sealer)
        _ = try await winners(of: 200) { number in
            switch number % 4 {
            case 0:
                try? await made.store.change { transaction in
                    try transaction.record(event(number))
                    throw Refused()
                }
            case 1: try await other.record(event(number))
            case 2: _ = try await made.store.change { _ in }
            default: try await made.store.record(event(number))
            }
            return true
        }
        try await made.store.record(event(1))
        #expect(lost.all.isEmpty)
        #expect(try await made.store.auditHeads().total == 104)
    }
}

private final class Lost: Sendable {
    private let entries = Mutex<[LostAuditEntries]>([])

    var all: [LostAuditEntries] { entries.withLock { $0 } }

    func add(_ lost: LostAuditEntries) { entries.withLock { $0.append(lost) } }
}
