import ApprovalWire
import JOSE
import Primitives

/// Receipts whose decision, times, level or places in the audit log are impossible.
extension ReceiptVectors {
    mutating func addDecisions() throws {
        let session = draft(.session)
        var early = session
        early.decidedAt = ReceiptDraft.opened - .milliseconds(1)
        add("decision-before-the-request", .decisionTime, try early.signed())
        var late = session
        late.decidedAt = ReceiptDraft.opened + .seconds(300)
        add("decision-at-the-expiry", .decisionTime, try late.signed())
        var hasty = session
        hasty.issuedAt = Timestamp(seconds: ReceiptDraft.decided.seconds - 1)
        add("receipt-before-the-decision", .issueTime, try hasty.signed())
        add("approval-with-a-reason", .reason, try session.signed { $0["reason"] = "fine" })
        add("session-with-an-answer", .level, try draft().signed { $0["evidence"] = "session" })
        add("session-without-a-session", .level, try session.signed { $0["session"] = nil })
        add(
            "session-without-methods", .payload,
            try session.signed { $0["session"] = ["sid_sha256": "", "auth_time": ""] })
        let facts = try JSONReader.parse(try session.claims().payload)["session"]
        add("answer-with-a-session", .level, try draft().signed { $0["session"] = facts })
        for level in ["signed-digest", "signed-challenge"] {
            add("\(level)-without-an-answer", .level, try session.signed { $0["evidence"] = .string(level) })
        }
        add("signed-challenge-with-a-digest", .level, try draft().signed { $0["evidence"] = "signed-challenge" })

        let hash = String(repeating: "5a", count: 32)
        let places: [(String, entry: String, head: String)] = [
            ("audit-without-hash", "4711", ReceiptDraft.head), ("audit-with-number-0", "0:\(hash)", ReceiptDraft.head),
            ("audit-with-a-leading-zero", "04711:\(hash)", ReceiptDraft.head),
            ("audit-with-a-sign", "+4711:\(hash)", ReceiptDraft.head),
            ("audit-in-upper-case", "4711:\(hash.uppercased())", ReceiptDraft.head),
            ("audit-with-a-short-hash", "4711:\(hash.dropLast(2))", ReceiptDraft.head),
            ("audit-with-more", "4711:\(hash):", ReceiptDraft.head),
            ("audit-beyond-64-bits", ReceiptDraft.entry, "9223372036854775808:\(hash)"),
            ("audit-head-before-the-entry", ReceiptDraft.entry, "4710:\(hash)"),
            ("audit-of-two-lanes", "2.4711:\(hash)", ReceiptDraft.head),
            ("audit-with-lane-0", "0.4711:\(hash)", "0.4711:\(hash)"),
            ("audit-with-a-lane-with-a-leading-zero", "02.4711:\(hash)", "02.4711:\(hash)"),
            ("audit-with-an-empty-lane", ".4711:\(hash)", ".4711:\(hash)"),
            ("audit-with-two-hashes", ReceiptDraft.entry, "4711:" + String(repeating: "c3", count: 32)),
        ]
        for (name, entry, head) in places {
            var changed = session
            changed.audit = .init(entry: entry, head: head)
            add(name, .audit, try changed.signed())
        }
        var foreign = session
        foreign.audit = .init(entry: "\u{664}:\(hash)", head: ReceiptDraft.head)
        add("audit-with-foreign-digits", .audit, try foreign.signed())
    }
}
