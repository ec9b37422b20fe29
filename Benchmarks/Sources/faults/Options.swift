import Glibc
import Workbench

/// The command line.
struct Options {
    var seed = UInt64.random(in: 0..<1_000_000_000)
    /// Seconds of load.
    var seconds = 600
    /// Flows after which the load ends. Nil goes on for `seconds`.
    var flows: Int?
    var nodes = 3
    var injectsFaults = true
    var isSQLite = false
    var serverPath = ".build/release/countersign"
    /// Leaves the folder with the logs of all programs.
    var keeps = false
    /// Faults to inject.
    var only: Set<Fault.Kind> = Set(Fault.Kind.allCases)

    static let help = """
        usage: faults [--seconds N] [--seed N] [--nodes N] [--store postgresql|sqlite]
                      [--flows N] [--no-faults] [--only FAULT,…] [--server PATH] [--keep]

          --seconds N     seconds of load (\(Options().seconds))
          --seed N        repeats the choices of an earlier run, which printed it
          --nodes N       nodes behind nginx, from 1 to 5 (\(Options().nodes)); SQLite has one
          --store KIND    sqlite has one node on a file instead (postgresql)
          --flows N       ends the load after as many flows
          --no-faults     injects none
          --only FAULT    injects these alone: \(Fault.Kind.allCases.map(\.rawValue).joined(separator: ", "))
          --server PATH   the countersign program (\(Options().serverPath))
          --keep          leaves the folder with the logs of all programs, and names it

        """

    init() {}

    init(arguments: [String]) throws(Failure) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            func value() throws(Failure) -> String {
                guard let value = rest.popFirst() else { throw Failure("\(option) needs a value") }
                return value
            }
            func number(_ range: ClosedRange<Int>) throws(Failure) -> Int {
                let text = try value()
                guard let number = Int(text), range.contains(number) else {
                    throw Failure("\(option) is a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
                }
                return number
            }
            switch option {
            case "--seconds": seconds = try number(5...86_400)
            case "--seed":
                let text = try value()
                guard let number = UInt64(text) else { throw Failure("--seed is a number, not \(text)") }
                seed = number
            case "--nodes": nodes = try number(1...5)
            case "--flows": flows = try number(1...10_000_000)
            case "--no-faults": injectsFaults = false
            case "--store":
                let kind = try value()
                guard ["sqlite", "postgresql"].contains(kind) else {
                    throw Failure("--store is sqlite or postgresql, not \(kind)")
                }
                isSQLite = kind == "sqlite"
            case "--only":
                only = []
                for name in try value().split(separator: ",") {
                    guard let kind = Fault.Kind(rawValue: String(name)) else {
                        throw Failure("there is no fault \(name)\n\(Self.help)")
                    }
                    only.insert(kind)
                }
            case "--server": serverPath = try value()
            case "--keep": keeps = true
            case "--help":
                print(Self.help)
                exit(0)
            default: throw Failure("unknown option \(option)\n\(Self.help)")
            }
        }
        if isSQLite { nodes = 1 }
    }
}
