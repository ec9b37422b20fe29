import Administration
import Audit
import AuthorizationCore
import CountersignServer
import Foundation
import JOSE
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Tree heads of the audit log")
struct TreeHeadTests {
    private static let start = Samples.start

    /// An installation whose log has entries in several lanes.
    private func installed(_ entries: Int) async throws -> (folder: Folder, installation: Installation, path: String) {
        let folder = try Folder()
        var settings = ServerSettings()
        settings.dataFolder = folder.url.appending(path: "data").path
        try settings.useMasterKey(String(repeating: "ab", count: 32))
        try await Installation(settings, .creating).close()
        let path = settings.dataFolder + "/countersign.db"
        try await makeDatabase(path, tenant: "acme", logging: entries, from: Self.start, isLaned: true)
        return (folder, try await Installation(settings), path)
    }

    private func at(_ second: Int) -> Timestamp { Self.start + .seconds(second) }

    @Test("A tree head is signed if entries were added, not twice a minute, and by one node")
    func signed() async throws {
        let (folder, installation, path) = try await installed(6)
        let first = try #require(try await installation.signTreeHead(after: nil, now: at(60)))
        let heads = try await installation.store.auditHeads()
        #expect(first.id.number == 1 && first.heads == heads)
        #expect(try await installation.signTreeHead(after: first.id, now: at(200)) == nil, "nothing was added")
        try await makeDatabase(path, tenant: "acme", logging: 2, from: Self.start, isLaned: true)
        #expect(try await installation.signTreeHead(after: nil, now: at(80)) == nil, "another node has just signed")
        let second = try #require(try await installation.signTreeHead(after: first.id, now: at(120)))
        #expect(second.previous == first.id && second.publicKey.isSameKey(as: first.publicKey))
        #expect(try await installation.store.keep(second) == false, "another node stored that number")
        let report = try await installation.auditLog.verify(treeHead: first.id)
        #expect(report.finding == nil && report.treeHead == second)
        await installation.close()
        withExtendedLifetime(folder) {}
    }

    @Test(
        "Nothing is signed once the log lacks what was signed",
        arguments: [
            ("DELETE FROM audit_log WHERE lane = 2", "is gone"),
            ("DELETE FROM audit_log WHERE lane = 2 AND place = 3", "is gone"),
            ("UPDATE audit_log SET hash = zeroblob(32) WHERE lane = 2 AND place = 3", "is gone"),
            ("DELETE FROM audit_tree_head", "tree head 1:"),
            ("UPDATE audit_tree_head SET statement = statement || 'A'", "was altered"),
        ])
    func refused(_ script: String, _ told: String) async throws {
        let (folder, installation, path) = try await installed(9)
        let first = try #require(try await installation.signTreeHead(after: nil, now: at(60)))
        let names = try await installation.store.auditLogState().missingGuards
        #expect(names.isEmpty)
        try await alterDatabase(
            path,
            """
            DROP TRIGGER audit_log_keeps_entries; DROP TRIGGER audit_log_alters_nothing;
            DROP TRIGGER audit_tree_head_stays; DROP TRIGGER audit_tree_head_alters_nothing;
            \(script)
            """)
        try await makeDatabase(path, tenant: "acme", logging: 1, from: Self.start, isLaned: true)
        let lost = await #expect(throws: LostTreeHead.self) {
            try await installation.signTreeHead(after: first.id, now: at(120))
        }
        #expect(lost?.description.contains(told) == true, "\(lost as Any)")
        #expect(try await installation.store.treeHeads(after: 1, limit: 9).isEmpty)
        await installation.close()
        withExtendedLifetime(folder) {}
    }

    @Test("An archive takes the tree heads whose entries it has, and the next tree head follows them")
    func archived() async throws {
        let (folder, installation, path) = try await installed(6)
        let first = try #require(try await installation.signTreeHead(after: nil, now: at(60)))
        try await makeDatabase(path, tenant: "acme", logging: 3, from: at(100 * 86_400), isLaned: true)
        let second = try #require(try await installation.signTreeHead(after: first.id, now: at(120)))
        let file = folder.url.appending(path: "old.ndjson").path
        let archived = try await installation.archiveAuditLog(
            before: at(86_400), to: file, by: .system, now: at(101 * 86_400)
        ) { _ in }
        #expect(archived.count == 6 && archived.heads == first.heads)
        #expect(try await installation.store.treeHeads(after: 0, limit: 9).map(\.number) == [2])
        for archives in [[], [AuditArchiveFile(file)]] {
            let report = try await installation.auditLog.verify(
                treeHead: second.id, archives: archives, archiveKey: archived.key)
            #expect(report.finding == nil, "\(String(describing: report.finding))")
        }
        #expect(try await installation.auditLog.verify(treeHead: first.id).finding == nil, "the signed end names it")
        let other = AuditTreeHead.ID(number: 1, hash: AuditEntry.beginning)
        #expect(try await installation.auditLog.verify(treeHead: other).finding == .treeHead(1))
        await installation.close()
        withExtendedLifetime(folder) {}
    }
}
