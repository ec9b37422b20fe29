/// All that the participants of a run wrote down, and the audit log at its end.
package struct History: Sendable {
    package var events: [Event]
    package var troubles: [Trouble]
    /// Empty if the log was not read.
    package var audit: [AuditedEntry]
    /// Person whom each flow asks.
    package var persons: [Int: String]

    package init(
        events: [Event] = [], troubles: [Trouble] = [], audit: [AuditedEntry] = [], persons: [Int: String] = [:]
    ) {
        (self.events, self.troubles, self.audit, self.persons) = (events, troubles, audit, persons)
    }

    /// The longest time in nanoseconds in which no participant got an answer from a server that works, if it overlaps the
    /// time between `from` and `until`.
    package func longestSilence(from: UInt64 = 0, until: UInt64 = .max) -> UInt64 {
        var longest: UInt64 = 0
        var last: UInt64?
        for ended in events.filter(\.outcome.isAnswer).map(\.ended).sorted() {
            if let last, ended > from, last < until { longest = max(longest, ended - last) }
            last = ended
        }
        return longest
    }

    /// Number of answers within a time that were none of a server that works, by text.
    package func complaints(from: UInt64, until: UInt64) -> [String: Int] {
        var counts: [String: Int] = [:]
        for event in events where event.ended >= from && event.ended <= until {
            switch event.outcome {
            case .undone(let text), .unknown(let text), .broken(let text): counts[text, default: 0] += 1
            case .done, .pending, .denied, .refused: break
            }
        }
        return counts
    }

    /// The events of a flow, one a line, with seconds since the run began.
    package func text(of flow: Int) -> String {
        let begin = events.map(\.sent).min() ?? 0
        func seconds(_ time: UInt64) -> String {
            let milliseconds = Int((time - begin) / 1_000_000)
            let rest = String(milliseconds % 1000)
            return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
        }
        return events.filter { $0.flow == flow }.sorted { $0.sent < $1.sent }.map {
            "  \(seconds($0.sent)) to \(seconds($0.ended))  \($0.actor): \($0.act) → \($0.outcome)\n"
        }.joined()
    }
}
