import Workbench
import Glibc

/// The table of docs/performance.md: what each load may cost.
struct CostBudget {
    /// More than a run differs from another, and less than a change that somebody should know of.
    static let tolerance = 0.03

    private var text: String
    private var allowed: [CostLoad: Cost] = [:]

    /// Reads rows such as `| pending poll | 41,234 | 31 | why |`.
    init(_ path: String) throws {
        text = try readText(path)
        for line in text.split(separator: "\n") {
            let cells = Self.cells(line)
            guard cells.count >= 3, let load = CostLoad(rawValue: cells[0]) else { continue }
            guard let instructions = Self.number(cells[1]), let allocations = Self.number(cells[2]) else {
                throw Failure("\(path) has a row of \(cells[0]) without two numbers")
            }
            allowed[load] = Cost(instructions: instructions, allocations: allocations)
        }
    }

    private static func cells(_ line: Substring) -> [String] {
        guard line.first == "|" else { return [] }
        return line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { cell in
            var cell = cell.drop { $0 == " " }
            while cell.last == " " { cell.removeLast() }
            return String(cell)
        }
    }

    private static func number(_ text: String) -> Double? { Double(text.filter { $0 != "," }) }

    /// The counted costs beside the allowed ones.
    func table(of costs: [CostLoad: Cost]) -> String {
        func change(_ value: Double, _ limit: Double?) -> String {
            guard let limit, limit > 0 else { return "new" }
            let percent = ((value / limit - 1) * 1000).rounded() / 10
            return "\(percent > 0 ? "+" : "")\(percent) %"
        }
        let rows = CostLoad.allCases.compactMap { load -> [String]? in
            guard let cost = costs[load] else { return nil }
            let limit = allowed[load]
            return [
                load.rawValue, formatted(cost.instructions), change(cost.instructions, limit?.instructions),
                formatted(cost.allocations), change(cost.allocations, limit?.allocations),
            ]
        }
        return aligned([["load", "instructions", "change", "allocations", "change"]] + rows, right: [1, 2, 3, 4])
    }

    /// Throws if a load costs more than it may.
    func require(_ costs: [CostLoad: Cost]) throws {
        var faults: [String] = []
        for load in CostLoad.allCases {
            guard let cost = costs[load] else { continue }
            guard let limit = allowed[load] else { throw Failure("the budget has no row for \(load.rawValue)") }
            for (what, value, limit) in [
                ("instructions", cost.instructions, limit.instructions),
                ("allocations", cost.allocations, limit.allocations),
            ] where value > limit * (1 + Self.tolerance) {
                faults.append("a \(load.rawValue) costs \(formatted(value)) \(what), and may cost \(formatted(limit))")
            }
        }
        guard faults.isEmpty else {
            throw Failure(
                faults.joined(separator: "; ")
                    + ". Make it cheaper, or write what it costs now with --write and say beside the number why")
        }
    }

    /// Keeps the reasons, which people write.
    mutating func write(_ costs: [CostLoad: Cost], to path: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            var cells = Self.cells(line)
            guard cells.count >= 3, let load = CostLoad(rawValue: cells[0]), let cost = costs[load] else {
                return String(line)
            }
            cells[1] = formatted(cost.instructions)
            cells[2] = formatted(cost.allocations)
            return "| \(cells.joined(separator: " | ")) |"
        }
        text = lines.joined(separator: "\n")
        try writeFile(path, text)
    }
}
