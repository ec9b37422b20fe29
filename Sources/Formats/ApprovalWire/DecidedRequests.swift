package import Primitives

/// The device API's answer about a person's decisions, and about requests that ended without an answer, newest first.
package struct DecidedRequests: Sendable, Equatable {
    /// How a request ended, for people.
    package enum Outcome: String, Sendable, CaseIterable {
        case allowed, rejected, expired, withdrawn
        /// Rejected by a person who did not ask for it.
        case reported
        /// Rejected because the person picked another number than the asking screen displayed.
        case wrongNumber = "wrong_number"
    }

    /// A request that ended without an answer of its person.
    package struct Unanswered: Sendable, Equatable {
        package let record: RequestRecord
        /// False if the client withdrew it.
        package let isExpired: Bool
        package let endedAt: Timestamp

        package init(record: RequestRecord, isExpired: Bool, endedAt: Timestamp) {
            self.record = record
            self.isExpired = isExpired
            self.endedAt = endedAt
        }
    }

    package enum Element: Sendable, Equatable {
        case decided(ApprovalEvidence)
        case unanswered(Unanswered)

        package var record: RequestRecord {
            switch self {
            case .decided(let evidence): evidence.record
            case .unanswered(let request): request.record
            }
        }

        package var outcome: Outcome {
            switch self {
            case .decided(let evidence): evidence.outcome
            case .unanswered(let request): request.isExpired ? .expired : .withdrawn
            }
        }

        fileprivate func write(to writer: inout JSONWriter) {
            writer.member("id", record.id)
            writer.member("outcome", outcome.rawValue)
            switch self {
            case .decided(let evidence):
                writer.member("decided_at", evidence.decidedAt.iso8601)
                writer.member("decision", evidence.decision.rawValue)
                writer.member("reason", ifPresent: evidence.reason)
                writer.member("evidence", evidence.level.rawValue)
                if let device = evidence.answer?.device {
                    writer.member("device") { writer in
                        writer.member("id", device.id)
                        writer.member("name", device.name)
                    }
                }
            case .unanswered(let request): writer.member("ended_at", request.endedAt.iso8601)
            }
            writer.member("record", record.text)
        }
    }

    package let requests: [Element]
    /// Cursor of the next page. Nil on the last one.
    package let next: String?

    package init(_ requests: [Element], next: String?) {
        self.requests = requests
        self.next = next
    }

    package var json: [UInt8] {
        JSONWriter.object(capacity: 4096) { writer in
            writer.name("requests")
            writer.array { writer in
                for element in requests { writer.object { element.write(to: &$0) } }
            }
            writer.member("next", ifPresent: next)
        }
    }
}

extension ApprovalEvidence {
    /// How the decision is told to people.
    package var outcome: DecidedRequests.Outcome {
        switch (decision, cause) {
        case (.allowed, _): .allowed
        case (.rejected, .reported): .reported
        case (.rejected, .wrongNumber): .wrongNumber
        case (.rejected, nil): .rejected
        }
    }
}
