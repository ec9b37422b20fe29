import Workbench
import Glibc

/// The command line.
struct Options {
    /// Short names of the rows, in the order of measurement.
    enum Part: String, CaseIterable {
        case signing, search, ceiling, discovery, flows, wait, push, codes, refresh, userinfo, assertions, start, polls,
            memory, restart, scale, postgresql, overload, crowd,
            dashboard, moving

        /// Parts that need users with a browser login.
        static let logins: Set<Part> = [.codes, .refresh, .userinfo]
    }

    var isQuick = false
    var isCalibration = false
    /// The file with the budget of cost, if that is what is measured.
    var budgetPath: String?
    var loads = Set(CostLoad.allCases)
    var writesBudget = false
    /// Concurrent requests, and concurrent flows. nginx has the same number.
    var connections = 64
    var parts = Set(Part.allCases)
    var profiled: Part?
    /// Scheduling policy of the server's threads: the unit's (decision 21), or the system's own.
    var isBatch = true
    var serverPath = ".build/release/countersign"
    var outputPath = ".build/bench.json"

    static let help = """
        usage: bench [--quick] [--only PART,…] [--connections N] [--profile PART]
                     [--server PATH] [--no-batch] [--output FILE] [--calibrate]
               bench --cost FILE --server PATH [--write] [--load NAME]…

          --quick         shorter rounds, 200,000 instead of 1,000,000 pending requests, and 100,000 instead of
                          1,000,000 users to search
          --only          measures these parts alone: \(Part.allCases.map(\.rawValue).joined(separator: ", "))
          --connections N requests under way at a time, and whole flows: an even number from 2 to 512 (\(Options().connections))
          --profile PART  runs perf on the server during that part and prints where its time goes
          --server PATH   the countersign program (\(Options().serverPath))
          --no-batch      runs the server without the scheduling policy of packaging/countersign.service
          --output FILE   where the rows go as JSON (\(Options().outputPath))
          --calibrate     compares this generator with wrk, both loading nginx, and ends
          --cost FILE     counts the instructions and allocations of the program `cost` at --server for each request of
                          its loads, and fails if one is more than 3 % above the table in FILE; needs valgrind
          --write         writes what was counted into that table
          --load NAME     counts this load alone: \(CostLoad.allCases.map(\.rawValue).joined(separator: ", "))

        """

    init() {}

    init(arguments: [String]) throws(Failure) {
        var rest = arguments[...]
        func part(_ name: some StringProtocol) throws(Failure) -> Part {
            guard let part = Part(rawValue: String(name)) else {
                throw Failure(
                    "there is no part \(name); there are \(Part.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return part
        }
        while let option = rest.popFirst() {
            func value() throws(Failure) -> String {
                guard let value = rest.popFirst() else { throw Failure("\(option) needs a value") }
                return value
            }
            switch option {
            case "--quick": isQuick = true
            case "--calibrate": isCalibration = true
            case "--cost": budgetPath = try value()
            case "--write": writesBudget = true
            case "--load":
                let name = try value()
                guard let load = CostLoad(rawValue: name) else { throw Failure("there is no load \(name)") }
                if loads.count == CostLoad.allCases.count { loads = [] }
                loads.insert(load)
            case "--only":
                parts = []
                for name in try value().split(separator: ",") { parts.insert(try part(name)) }
            case "--connections":
                let text = try value()
                guard let number = Int(text), (2...512).contains(number), number.isMultiple(of: 2) else {
                    throw Failure("--connections is an even number from 2 to 512, not \(text)")
                }
                connections = number
            case "--profile":
                let name = try part(value())
                profiled = name
            case "--server": serverPath = try value()
            case "--no-batch": isBatch = false
            case "--output": outputPath = try value()
            case "--help":
                print(Self.help)
                exit(0)
            default: throw Failure("unknown option \(option)\n\(Self.help)")
            }
        }
        if let profiled { parts.insert(profiled) }
    }
}
