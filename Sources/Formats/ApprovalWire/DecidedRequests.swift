import Primitives

/// Answer of `GET api/device-accounts/{id}/requests`: a page of the person's own decisions, newest first.
package struct DecidedRequests: Sendable, Equatable {
    package let requests: [ApprovalEvidence]
    /// Cursor of the next page. Nil on the last one.
    package let next: String?

    package init(_ requests: [ApprovalEvidence], next: String?) {
        self.requests = requests
        self.next = next
    }

    package var json: [UInt8] {
        JSONWriter.object(capacity: 4096) { writer in
            writer.name("requests")
            writer.array { writer in
                for evidence in requests {
                    writer.object { writer in
                        writer.member("id", evidence.record.id)
                        writer.member("decided_at", evidence.decidedAt.iso8601)
                        writer.member("decision", evidence.decision.rawValue)
                        writer.member("reason", ifPresent: evidence.reason)
                        writer.member("evidence", evidence.level.rawValue)
                        writer.member("record", evidence.record.text)
                    }
                }
            }
            writer.member("next", ifPresent: next)
        }
    }
}
