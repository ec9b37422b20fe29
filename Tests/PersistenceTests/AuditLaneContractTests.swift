import Administration
import Audit
import AuthorizationCore
import Flows
import JOSE
import OpenSSLCrypto
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

/// A log of several lanes, and the key that signs its tree heads.
struct LanedLog {
    let made: TemporaryStore
    let signer: any Signer

    /// Entries are written in lanes 1, 2 and 3 in turns, each as often.
    init(entries: Int) async throws {
        made = try await TemporaryStore(.serverLike)
        signer = try OpenSSLSigner.generate(algorithm: .edDSA)
        try await append(entries)
    }

    func append(_ count: Int) async throws {
        for number in 0..<count {
            try await made.store.record(
                AuditEvent(
                    .loggedIn, tenant: TenantID("dev"), at: Samples.start + .seconds(number), user: UserID("auth0|ann"))
            )
        }
    }

    @discardableResult
    func sign(with other: (any Signer)? = nil) async throws -> AuditTreeHead {
        let end = try await made.store.auditLogEnd()
        let last = end.treeHead.flatMap { AuditTreeHead($0.statement, Samples.hashing) }
        let treeHead = try AuditTreeHead(
            signing: end.heads, after: last?.id ?? end.archivedTreeHead, at: Samples.start, with: other ?? signer,
            Samples.hashing)
        #expect(try await made.store.keep(treeHead))
        return treeHead
    }

    func verify(
        expecting heads: AuditHeads = AuditHeads(), treeHead: AuditTreeHead.ID? = nil, key: String? = nil
    ) async throws -> VerifyAuditLog.Report {
        try await verification.verify(expecting: heads, treeHead: treeHead, archiveKey: key)
    }

    var verification: VerifyAuditLog {
        VerifyAuditLog(store: made.store, hashing: Samples.hashing, verifier: OpenSSLVerifier())
    }
}

private func place(_ lane: Int64, _ number: Int64) -> AuditPlace { AuditPlace(lane: lane, number) }

@Suite("Each lane of the audit log is a chain of its own, and signed tree heads bind the lanes together")
struct AuditLaneContractTests {

    @Test("Each lane counts its places, and the numbers of the log grow in each")
    func lanes() async throws {
        let log = try await LanedLog(entries: 9)
        let report = try await log.verify()
        #expect(report.finding == nil && report.entries == 9)
        #expect(report.heads.all.map(\.place) == [1, 2, 3].map { place($0, 3) })
        let entries = try await log.made.store.entries(after: 0, limit: 100)
        #expect(entries.map(\.sequence) == Array(1...9))
        #expect(Set(entries.map(\.place)).count == 9)
        #expect(try await log.verification.verifyEnd(4).finding == nil)
        #expect(try await log.verification.verifyEnd(100).entries == 9)
    }

    @Test("A chain of lane 0 stays as it was and goes on, beside other lanes")
    func beside() async throws {
        let log = try await LanedLog(entries: 0)
        try await log.made.withSecondStore { embedded in
            for number in 0..<3 {
                try await embedded.record(
                    AuditEvent(.approved, tenant: TenantID("dev"), at: Samples.start + .seconds(number)))
            }
        }
        let noted = try await log.verify().heads
        #expect(noted.all.map(\.place) == [place(0, 3)])
        try await log.append(6)
        // Its number is no longer its place, as after a copy from a database server.
        try await log.made.withSecondStore { embedded in
            try await embedded.record(AuditEvent(.approved, tenant: TenantID("dev"), at: Samples.start))
        }
        let report = try await log.verify(expecting: noted)
        #expect(report.finding == nil && report.entries == 10)
        #expect(report.heads[0]?.place == place(0, 4))
        let last = try await log.made.store.lastEntries(1).first
        #expect(last?.sequence == 10 && last?.place == place(0, 4))
    }

    @Test("The database takes one of two entries that follow the same one of a lane")
    func fork() async throws {
        let log = try await LanedLog(entries: 6)
        for place in [1, 2, 4] {
            await #expect(throws: SQLError.self) {
                try await log.made.database.write {
                    try $0.execute(
                        """
                        INSERT INTO audit_log (id, lane, place, kind, tenant, at, details, hash)
                        SELECT 100, 2, \(place), kind, tenant, at, details, hash FROM audit_log WHERE id = 1
                        """)
                }
            }
        }
        #expect(try await log.verify().finding == nil)
    }

    struct Tampering: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: String
        let finding: VerifyAuditLog.Finding

        static let all = [
            Tampering(
                testDescription: "an entry altered",
                script: "UPDATE audit_log SET kind = 'f' WHERE lane = 2 AND place = 2",
                finding: .altered(place(2, 2))),
            Tampering(
                testDescription: "another number", script: "UPDATE audit_log SET id = 40 WHERE lane = 2 AND place = 3",
                finding: .altered(place(2, 3))),
            Tampering(
                testDescription: "one removed", script: "DELETE FROM audit_log WHERE lane = 2 AND place = 2",
                finding: .missing(place(2, 2)...place(2, 2))),
            Tampering(
                testDescription: "the first ones removed", script: "DELETE FROM audit_log WHERE lane = 3 AND place < 3",
                finding: .missing(place(3, 1)...place(3, 2))),
            Tampering(
                testDescription: "two in the other order",
                script: """
                    UPDATE audit_log SET place = 100 WHERE lane = 2 AND place = 2;
                    UPDATE audit_log SET place = 2 WHERE lane = 2 AND place = 3;
                    UPDATE audit_log SET place = 3 WHERE lane = 2 AND place = 100;
                    """, finding: .altered(place(2, 2))),
            Tampering(
                testDescription: "one put in front",
                script: "UPDATE audit_log SET place = 0 WHERE lane = 2 AND place = 3",
                finding: .inserted(place(2, 0))),
            Tampering(
                testDescription: "a copy at the end",
                script: """
                    INSERT INTO audit_log (id, lane, place, kind, tenant, at, details, hash)
                    SELECT 10, 2, 4, kind, tenant, at, details, hash FROM audit_log WHERE lane = 2 AND place = 3
                    """, finding: .altered(place(2, 4))),
            Tampering(
                testDescription: "the end moved into another lane",
                script: "UPDATE audit_log SET lane = 3, place = 4 WHERE lane = 2 AND place = 3",
                finding: .altered(place(3, 4))),
            Tampering(
                testDescription: "a lane renamed", script: "UPDATE audit_log SET lane = 7 WHERE lane = 2",
                finding: .altered(place(7, 1))),
        ]
    }

    @Test("Tampering with an entry of a lane is found", arguments: Tampering.all)
    func tampering(_ tampering: Tampering) async throws {
        let log = try await LanedLog(entries: 9)
        try await log.made.tamper(tampering.script)
        #expect(try await log.verify().finding == tampering.finding)
    }

    @Test("Tree heads verify, also when lanes went on and new lanes began")
    func treeHeads() async throws {
        let log = try await LanedLog(entries: 2)
        for count in [1, 5, 3] {
            try await log.sign()
            try await log.append(count)
        }
        let last = try await log.sign()
        let report = try await log.verify(treeHead: last.id, key: last.thumbprint(Samples.hashing))
        #expect(report.finding == nil && report.treeHead == last && last.id.number == 4)
        #expect(last.heads == report.heads)
        #expect(try await log.verification.verifyEnd(3).finding == nil)
    }

    struct Loss: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: String
        let finding: VerifyAuditLog.Finding

        static let all = [
            Loss(
                testDescription: "a lane's end cut off", script: "DELETE FROM audit_log WHERE lane = 2 AND place > 2",
                finding: .cutOff(after: place(2, 2), treeHead: 1)),
            Loss(
                testDescription: "a whole lane removed", script: "DELETE FROM audit_log WHERE lane = 3",
                finding: .cutOff(after: place(3, 0), treeHead: 1)),
            Loss(
                testDescription: "the last tree head altered",
                script: "UPDATE audit_tree_head SET statement = statement || 'A' WHERE number = 3",
                finding: .treeHead(3)),
            Loss(
                testDescription: "an earlier tree head altered",
                script:
                    "UPDATE audit_tree_head SET statement = (SELECT statement FROM audit_tree_head WHERE number = 1) WHERE number = 2",
                finding: .treeHead(2)),
            Loss(
                testDescription: "a tree head removed", script: "DELETE FROM audit_tree_head WHERE number = 2",
                finding: .treeHead(2)),
            Loss(
                testDescription: "the first tree head removed", script: "DELETE FROM audit_tree_head WHERE number = 1",
                finding: .treeHead(1)),
            Loss(
                testDescription: "a tree head put in front",
                script: "INSERT INTO audit_tree_head SELECT 0, statement FROM audit_tree_head WHERE number = 1",
                finding: .treeHead(0)),
            Loss(
                testDescription: "a missing guard", script: "DROP TRIGGER audit_tree_head_stays",
                finding: .unguarded(["audit_tree_head_stays"])),
        ]
    }

    @Test("A lane that was cut off or removed, and altered or removed tree heads, are found", arguments: Loss.all)
    func losses(_ loss: Loss) async throws {
        let log = try await LanedLog(entries: 9)
        for _ in 0..<3 {
            try await log.sign()
            try await log.append(3)
        }
        if loss.script.hasPrefix("DROP") {
            try await log.made.database.write { try $0.script(loss.script) }
        } else {
            try await log.made.tamper(loss.script)
        }
        #expect(try await log.verify().finding == loss.finding)
    }

    @Test("A lane that was cut off and grew again does not match the tree head of before")
    func regrown() async throws {
        let log = try await LanedLog(entries: 9)
        try await log.sign()
        try await log.made.tamper("DELETE FROM audit_log WHERE lane = 2 AND place > 2")
        let lost = try await log.made.store.firstLost(of: try await log.verify().treeHead?.heads ?? AuditHeads())
        #expect(lost?.place == place(2, 3))
        try await log.append(9)
        #expect(try await log.verify().finding == .anotherChain(at: place(2, 3)))
    }

    @Test("Somebody else's key signs no tree head, and the end that was cut off with its tree heads misses a noted one")
    func keys() async throws {
        let log = try await LanedLog(entries: 9)
        let first = try await log.sign()
        let key = first.thumbprint(Samples.hashing)
        try await log.append(3)
        let second = try await log.sign()
        try await log.made.tamper(
            "DELETE FROM audit_log WHERE id > 9; DELETE FROM audit_tree_head WHERE number = 2")
        #expect(try await log.verify(key: key).finding == nil, "an older state is whole in itself")
        #expect(try await log.verify(treeHead: first.id).finding == nil)
        #expect(try await log.verify(treeHead: second.id).finding == .treeHead(2))
        try await log.append(4)
        try await log.sign(with: try OpenSSLSigner.generate(algorithm: .edDSA))
        #expect(try await log.verify(treeHead: second.id).finding == .treeHead(2))
        #expect(try await log.verify(key: key).finding == .unsigned("tree head 2"))
        #expect(try await log.verify().finding == nil, "without a noted key it could be a changed one")
    }

    @Test("Archived tree heads leave with the entries that they cover, and the next ones follow them")
    func archived() async throws {
        let log = try await LanedLog(entries: 9)
        let first = try await log.sign()
        try await log.append(3)
        let second = try await log.sign()
        let archived = try ArchivedHead(signing: first.heads, treeHead: first.id, at: Samples.start, with: log.signer)
        try await log.made.store.removeArchived(archived)
        let report = try await log.verify(treeHead: second.id, key: first.thumbprint(Samples.hashing))
        #expect(report.finding == nil && report.archived == first.heads && report.entries == 3)
        #expect(try await log.made.store.treeHeads(after: 0, limit: 9).map(\.number) == [2])
        try await log.append(1)
        try await log.sign()
        #expect(try await log.verify().finding == nil)
        try await log.made.tamper("DELETE FROM audit_tree_head WHERE number = 2")
        #expect(try await log.verify().finding == .treeHead(2))
    }
}
