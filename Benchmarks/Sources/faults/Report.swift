import Histories
import Workbench

extension Run {
    /// An aligned table, and the verdict.
    var report: String {
        let kinds = Dictionary(grouping: history.troubles, by: \.name)
        var lines = [["fault", "times", "longest", "without an answer", "clients saw"]]
        for name in kinds.keys.sorted() {
            let troubles = kinds[name] ?? []
            var seen: [String: Int] = [:]
            for trouble in troubles {
                seen.merge(
                    history.complaints(from: trouble.began, until: trouble.recovered), uniquingKeysWith: +)
            }
            lines.append([
                name, String(troubles.count), Self.seconds(troubles.map { $0.recovered - $0.began }.max() ?? 0),
                Self.seconds(
                    troubles.map { history.longestSilence(from: $0.began, until: $0.recovered) }.max() ?? 0),
                seen.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", "),
            ])
        }
        let verdict = violations.isEmpty && complaints.isEmpty ? "everything acknowledged holds" : "FAILED"
        let summary = [
            ["run", ""],
            ["seed", String(options.seed)], ["faults", String(history.troubles.count)], ["flows", String(flows)],
            ["acknowledged answers", String(history.events.count { $0.outcome.isAnswer })],
            ["seconds", Self.seconds(ended - began)],
            ["longest without an answer", Self.seconds(history.longestSilence(from: began, until: ended))],
            ["verdict", verdict],
        ]
        return (history.troubles.isEmpty ? "" : aligned(lines, right: [1, 2, 3]) + "\n") + aligned(summary, right: [])
            + failures
    }

    /// The violations, each with the history of its flow. Empty without any.
    private var failures: String {
        let shown = violations.prefix(5).map { "\n\($0)\n\($0.flow.map(history.text) ?? "")" }
        let rest = violations.count > 5 ? "\n… and \(violations.count - 5) more\n" : ""
        return complaints.map { "\n\($0)\n" }.joined() + shown.joined() + rest
    }

    private static func seconds(_ nanoseconds: UInt64) -> String {
        let tenths = Int(nanoseconds / 100_000_000)
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
