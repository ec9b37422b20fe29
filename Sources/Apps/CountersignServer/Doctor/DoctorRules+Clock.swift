import Primitives

/// A time that another machine told.
struct ToldTime: Sendable {
    let source: String
    let time: Timestamp
    /// This machine's time when the answer came.
    let at: Timestamp
}

struct ClockFacts: Sendable {
    let now: Timestamp
    /// Times at which something was written, each with its place.
    var written: [(place: String, time: Timestamp)] = []
    /// Nil if the system does not tell.
    var isSynchronized: Bool?
    var told: [ToldTime] = []
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
        for told in facts.told {
            let ahead = told.at - told.time
            let skew = max(ahead, .zero - ahead)
            guard skew > skewWarning else { continue }
            let text = "the clock is \(skew.inWords) \(ahead > .zero ? "ahead of" : "behind") that server's"
            findings.append(
                skew > skewFault
                    ? .fault(.clock, told.source, text, advice: advice)
                    : .warning(.clock, told.source, text, advice: advice))
        }
        if facts.isSynchronized == false {
            findings.append(
                .warning(
                    .clock, "system", "no time service keeps the clock",
                    advice: "turn one on, for example with: timedatectl set-ntp true"))
        }
        guard findings.isEmpty else { return findings }
        let service = facts.isSynchronized == nil ? "the system does not tell if NTP keeps it" : "NTP keeps it"
        let servers =
            facts.told.isEmpty
            ? "" : "; it agrees with \(facts.told.count == 1 ? "1 server" : "\(facts.told.count) answers")"
        return [.ok(.clock, "system", "\(service), and nothing was written in the future\(servers)")]
    }
}
