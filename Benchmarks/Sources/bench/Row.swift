import Workbench
import Primitives

/// One line of the table and one object of `bench.json`.
struct Row {
    /// Condition of the goal.
    enum Goal {
        case ratioAtLeast(Double)
        case ratioAtMost(Double)
        case valueAtMost(Double)
        case valueAtLeast(Double)
    }

    var name: String
    var value: Double
    var unit: String
    /// The same measure of a well-known program, taken in the same run, in the same unit.
    var reference: Double?
    /// Name of the reference in the table.
    var referenceName = ""
    var goal: Goal?
    /// Conditions of the measurement, for the reader of the number.
    var note = ""

    var ratio: Double? { reference.flatMap { $0 > 0 ? value / $0 : nil } }

    var isMet: Bool? {
        switch goal {
        case .ratioAtLeast(let limit): (ratio ?? 0) >= limit
        case .ratioAtMost(let limit): (ratio ?? .infinity) <= limit
        case .valueAtMost(let limit): value <= limit
        case .valueAtLeast(let limit): value >= limit
        case nil: nil
        }
    }

    private var goalNumber: Double? {
        switch goal {
        case .ratioAtLeast(let limit), .ratioAtMost(let limit), .valueAtMost(let limit), .valueAtLeast(let limit): limit
        case nil: nil
        }
    }

    func write(to writer: inout JSONWriter) {
        func number(_ value: Double?) -> JSONValue {
            value.flatMap { JSONNumber(($0 * 10_000).rounded() / 10_000) }.map(JSONValue.number) ?? .null
        }
        writer.object { writer in
            writer.member("name", name)
            writer.member("value", number(value))
            writer.member("unit", unit)
            writer.member("reference", number(reference))
            writer.member("ratio", number(ratio))
            writer.member("goal", number(goalNumber))
            writer.member("met", isMet.map(JSONValue.bool) ?? .null)
        }
    }

    var cells: [String] {
        let goalText =
            switch goal {
            case .ratioAtLeast(let limit): "ratio >= \(formatted(limit))"
            case .ratioAtMost(let limit): "ratio <= \(formatted(limit))"
            case .valueAtMost(let limit): "<= \(formatted(limit)) \(unit)"
            case .valueAtLeast(let limit): ">= \(formatted(limit)) \(unit)"
            case nil: ""
            }
        return [
            name, formatted(value), unit, reference.map(formatted) ?? "", referenceName, ratio.map(formatted) ?? "",
            goalText, isMet.map { $0 ? "yes" : "no" } ?? "",
        ]
    }
}

/// Three significant digits under 100, whole numbers with separated thousands above.
func formatted(_ value: Double) -> String {
    guard value < 100 else {
        var digits = String(Int(value.rounded()))
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: index))
            index -= 3
        }
        return digits
    }
    let decimals = value >= 10 ? 1 : value >= 1 ? 2 : 3
    let scale = [1.0, 10, 100, 1000][decimals]
    let scaled = Int((value * scale).rounded())
    let fraction = String(scaled % Int(scale))
    return "\(scaled / Int(scale)).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
}

/// The rows as one aligned table, followed by the notes.
func table(_ rows: [Row]) -> String {
    let head = ["measure", "value", "unit", "reference", "of", "ratio", "goal", "met"]
    let text = aligned([head] + rows.map(\.cells), right: [1, 3, 5])
    let notes = rows.filter { !$0.note.isEmpty }.map { "\($0.name): \($0.note)\n" }
    return notes.isEmpty ? text : text + "\n" + notes.joined()
}
