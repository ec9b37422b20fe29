import Primitives

/// Time in the `Date` of a server's answer.
struct ServerTime: Sendable {
    let source: String
    let time: Timestamp
    /// Time of this machine when the answer arrived.
    let at: Timestamp
    /// False for a server that a tenant chose, whose time proves nothing about this machine's.
    var isFixed = true

    /// Time by which this machine's clock is ahead.
    var ahead: Duration { at - time }
}

struct ClockFacts: Sendable {
    let now: Timestamp
    /// Times at which something was written, each with its place.
    var written: [(place: String, time: Timestamp)] = []
    /// Nil if the system does not tell.
    var isSynchronized: Bool?
    var serverTimes: [ServerTime] = []
}

extension DoctorRules {
    /// Tolerated difference to a `Date` field, which has whole seconds and was written some time before.
    private static let skewWarning = Duration.seconds(30)
    private static let skewFault = Duration.seconds(300)
    /// Entries are written with this machine's own time, so hardly any is later.
    private static let futureWarning = Duration.seconds(5)

    static func clock(_ facts: ClockFacts) -> [DoctorFinding] {
        let advice = "set the clock and keep it right with NTP: tokens, codes and certificates depend on it"
        var findings: [DoctorFinding] = []
        for (place, time) in facts.written where time - facts.now > futureWarning {
            let text = "the clock is \((time - facts.now).inWords) before the last change there"
            findings.append(
                time - facts.now > skewFault
                    ? .fault(.clock, place, text, advice: advice) : .warning(.clock, place, text, advice: advice))
        }
        findings += skews(facts.serverTimes, advice: advice)
        if facts.isSynchronized == false {
            findings.append(
                .warning(
                    .clock, "system", "no time service keeps the clock",
                    advice: "turn one on, for example with: timedatectl set-ntp true"))
        }
        guard findings.isEmpty else { return findings }
        let service = facts.isSynchronized == nil ? "the system does not tell if NTP keeps it" : "NTP keeps it"
        let count = facts.serverTimes.count
        let servers = count == 0 ? "" : "; it agrees with \(count == 1 ? "1 server" : "\(count) answers")"
        return [.ok(.clock, "system", "\(service), and nothing was written in the future\(servers)")]
    }

    /// The clock is wrong if all fixed servers differ from it in the same direction. Otherwise the others may be wrong
    /// themselves.
    private static func skews(_ times: [ServerTime], advice: String) -> [DoctorFinding] {
        let fixed = times.filter(\.isFixed)
        let isWrong =
            fixed.allSatisfy { $0.ahead > skewWarning }
            || fixed.allSatisfy { Duration.zero - $0.ahead > skewWarning }
        return times.compactMap { server -> DoctorFinding? in
            let skew = max(server.ahead, .zero - server.ahead)
            guard skew > skewWarning else { return nil }
            let text = "the clock is \(skew.inWords) \(server.ahead > .zero ? "ahead of" : "behind") that server's"
            guard server.isFixed, isWrong else {
                return .warning(
                    .clock, server.source, text,
                    advice: "compare both clocks: other servers, or NTP, tell which of them is wrong")
            }
            return skew > skewFault
                ? .fault(.clock, server.source, text, advice: advice)
                : .warning(.clock, server.source, text, advice: advice)
        }
    }
}
