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
            sequence: 7, place: AuditPlace(lane: 0, 7), kind: "s", tenant: "dev",
            at: Timestamp(milliseconds: 1_700_000_000_123), details: #"{"é":1}"#)
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

    @Test("An entry of another lane has a prefix of its own, which binds its lane and its place")
    func lane() {
        var entry = Self.entry
        entry.place = AuditPlace(lane: 2, 3)
        let previous = Digest256([UInt8](repeating: 0xAB, count: 32))
        let columns = #"1:2,1:3,1:7,1:s,3:dev,13:1700000000123,9:auth0|ann,---0:,-----8:{"é":1},"#
        let message = Array("countersign-audit-2\n".utf8) + previous.bytes + Array(columns.utf8)
        #expect(entry.hash(after: previous, Samples.hashing).bytes == Samples.hashing.sha256(message))
    }

    @Test("An entry of lane 0 whose number is not its place is hashed like one of another lane")
    func copied() {
        let places = [AuditPlace(lane: 0, 7), AuditPlace(lane: 0, 6), AuditPlace(lane: 1, 7), AuditPlace(lane: 1, 6)]
        let hashes = places.map { place in
            var entry = Self.entry
            entry.place = place
            return entry.hash(after: AuditEntry.beginning, Samples.hashing)
        }
        #expect(Set(hashes).count == 4)
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

    @Test("A head is read only from its exact text form, with its lane unless it is 0")
    func head() throws {
        let digest = Digest256([UInt8](repeating: 0x5E, count: 32))
        let hash = String(repeating: "5e", count: 32)
        let head = AuditHead(place: AuditPlace(lane: 0, 12), hash: digest)
        #expect(head.description == "12:\(hash)" && AuditHead(head.description) == head)
        let other = AuditHead(place: AuditPlace(lane: 3, 12), hash: digest)
        #expect(other.description == "3.12:\(hash)" && AuditHead(other.description) == other)
        let others = ["", "12", ":\(hash)", "0:\(hash)", "-1:\(hash)", "12:\(hash)00", "12:5e", "12:\(hash):"]
        let lanes = [
            "0.12:\(hash)", "-1.12:\(hash)", "03.12:\(hash)", ".12:\(hash)", "3.:\(hash)", "1.2.3:\(hash)",
            "3.0:\(hash)",
        ]
        for text in others + lanes {
            #expect(AuditHead(text) == nil, "\(text)")
        }
    }

    @Test("Heads are read from their text form, one of each lane")
    func heads() {
        let hash = String(repeating: "5e", count: 32)
        let text = "7:\(hash),2.3:\(hash),3.1:\(hash)"
        let heads = AuditHeads(text)
        #expect(heads?.description == text && heads?.total == 11 && heads?[2]?.place == AuditPlace(lane: 2, 3))
        #expect(AuditHeads(AuditHeads().description) == AuditHeads())
        for text in ["", ",", "7:\(hash),", "7:\(hash),8:\(hash)", "2.3:\(hash),2.3:\(hash)", "7:\(hash) 2.3:\(hash)"] {
            #expect(AuditHeads(text) == nil, "\(text)")
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
