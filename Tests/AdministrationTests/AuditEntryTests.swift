import Administration
import Audit
import AuthorizationCore
import Primitives
import TestSupport
import Testing

@Suite("Audit log entries")
struct AuditEntryTests {
    private static var entry: AuditEntry {
        var entry = AuditEntry(
            sequence: 7, kind: "s", tenant: "dev", at: Timestamp(milliseconds: 1_700_000_000_123), details: #"{"é":1}"#)
        entry.user = "auth0|ann"
        entry.remoteAddress = ""
        return entry
    }

    @Test("The hash is SHA-256 over the context, the previous hash and the columns as netstrings")
    func encoding() {
        let previous = Digest256([UInt8](repeating: 0xAB, count: 32))
        let columns = #"1:7,1:s,3:dev,13:1700000000123,9:auth0|ann,---0:,-----8:{"é":1},"#
        let message = Array("countersign-audit-1\n".utf8) + previous.bytes + Array(columns.utf8)
        #expect(Self.entry.hash(after: previous, Samples.hashing).bytes == Samples.hashing.sha256(message))
    }

    @Test("An empty text, a missing text and the same text in the next column have different hashes")
    func ambiguity() {
        var (empty, none, moved) = (Self.entry, Self.entry, Self.entry)
        empty.user = ""
        none.user = nil
        moved.client = moved.user
        moved.user = nil
        let hashes = [Self.entry, empty, none, moved].map { $0.hash(after: AuditEntry.beginning, Samples.hashing) }
        #expect(Set(hashes).count == 4)
    }

    @Test("A head is read only from its exact text form")
    func head() throws {
        let head = AuditHead(sequence: 12, hash: Digest256([UInt8](repeating: 0x5E, count: 32)))
        #expect(AuditHead(head.description) == head)
        let hash = String(repeating: "5e", count: 32)
        let others = ["", "12", ":\(hash)", "0:\(hash)", "-1:\(hash)", "12:\(hash)00", "12:5e", "12:\(hash):"]
        for text in others {
            #expect(AuditHead(text) == nil, "\(text)")
        }
    }

    @Test("A log id has 20 digits and sorts like the entries; other texts are refused")
    func logID() {
        let ids = [1, 9, 10, 99, 1_000_000, Int64.max].map { LogID(sequence: $0) }
        #expect(ids.map(\.description) == ids.map(\.description).sorted())
        #expect(ids.allSatisfy { $0.description.count == 20 && LogID($0.description) == $0 })
        let others = ["", "1", "80000000000000000001", "9000000000000000000x", "9000000000000000000１"]
        for text in others + ["99999999999999999999"] {
            #expect(LogID(text) == nil, "\(text)")
        }
    }

    @Test("An actor is read from its stored form")
    func actor() {
        for actor in [AuditEvent.Actor.client(ClientID("agent:1")), .account("jo as root"), .system] {
            #expect(AuditEvent.Actor(rawValue: actor.rawValue) == actor)
        }
        #expect(AuditEvent.Actor(rawValue: "jo") == nil)
    }

    @Test("Each kind has a unique code and summary")
    func kinds() {
        #expect(Set(AuditEvent.Kind.allCases.map(\.summary)).count == AuditEvent.Kind.allCases.count)
    }

    @Test("A caller's user agent and correlation id are truncated")
    func trace() {
        let trace = RequestTrace(
            userAgent: String(repeating: "a", count: 300), correlationID: String(repeating: "é", count: 40))
        #expect(trace.userAgent?.utf8.count == 256)
        #expect(trace.correlationID == String(repeating: "é", count: 32))
    }
}
