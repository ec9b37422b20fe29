import Workbench
import Glibc

/// Fixed loads of the program `cost`, each with the cost of one of its requests.
enum CostLoad: String, CaseIterable {
    case start = "start"
    case firstPoll = "first poll"
    case pendingPoll = "pending poll"
    case consent = "consent"
    case decision = "decision"
    case redemption = "redemption"
    case codeExchange = "code exchange"
    case refresh = "refresh"
    case wholeFlow = "whole flow"
}

/// Instructions and allocations of one request.
struct Cost: Equatable {
    var instructions: Double
    var allocations: Double
}

/// Runs the program `cost` under `valgrind --tool=callgrind`, which counts what it executes, and tells it when to go on.
struct CostMeter {
    private let folder: String
    private let child: Child
    private let input: Int32

    init(program: String, folder: String) throws {
        self.folder = folder
        let pipe = "\(folder)/go"
        guard mkfifo(pipe, 0o600) == 0 else { throw Failure("cannot make \(pipe)", errno: errno) }
        // Also for reading, so that neither side waits for the other to open it.
        input = open(pipe, O_RDWR | O_CLOEXEC)
        guard input >= 0 else { throw Failure("cannot open \(pipe)", errno: errno) }
        // The order of what a dictionary holds would differ from run to run.
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        // Names stay whole in each dump, so that each can be read alone.
        child = try Child(
            [
                "valgrind", "--tool=callgrind", "--callgrind-out-file=\(folder)/cost.out", "--combine-dumps=no",
                "--compress-strings=no", "--compress-pos=no", program,
            ], log: Self.log(folder), input: pipe)
    }

    private static func log(_ folder: String) -> String { "\(folder)/cost.log" }

    func measure(_ loads: Set<CostLoad>) throws -> [CostLoad: Cost] {
        defer {
            child.end()
            close(input)
        }
        var costs: [CostLoad: Cost] = [:]
        var read = 0
        while let line = try line(read) {
            read += 1
            let words = line.split(separator: " ")
            guard words.first == "ready", let count = words.last.flatMap({ Double(String($0)) }) else {
                throw Failure("the program cost printed \(line)")
            }
            let load = CostLoad(rawValue: words.dropFirst().dropLast().joined(separator: " "))
            if let load, loads.contains(load) {
                progress("cost of a \(load.rawValue)")
                let cost = try counted { try runLoad(&read) }
                costs[load] = Cost(instructions: cost.instructions / count, allocations: cost.allocations / count)
            } else {
                try runLoad(&read)
            }
            try goOn()
        }
        guard costs.count == loads.count else { throw Failure("the program cost ended early:\n\(try output())") }
        return costs
    }

    private func runLoad(_ read: inout Int) throws {
        try goOn()
        guard try line(read) == "done" else { throw Failure("a load did not end:\n\(try output())") }
        read += 1
    }

    private func goOn() throws {
        guard write(input, "\n", 1) == 1 else { throw Failure("cannot write to the program cost", errno: errno) }
    }

    private func output() throws -> String { String(try readText(Self.log(folder)).suffix(2000)) }

    /// The program's line of this number, without valgrind's own. Nil once the program has ended.
    private func line(_ number: Int) throws -> Substring? {
        let end = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < end {
            let hasEnded = child.wait(within: .milliseconds(20)) != nil
            var lines = try readText(Self.log(folder)).split(separator: "\n", omittingEmptySubsequences: false)
            // The last one may not be whole.
            lines.removeLast()
            lines.removeAll { $0.hasPrefix("==") || $0.isEmpty }
            if number < lines.count { return lines[number] }
            if hasEnded { return nil }
        }
        throw Failure("the program cost says nothing:\n\(try output())")
    }

    private func counted(during body: () throws -> Void) throws -> Cost {
        try control("--zero")
        try body()
        try control("--dump")
        guard let dump = try dumps().last else { throw Failure("callgrind has written no dump") }
        let cost = try Self.cost(of: try readText("\(folder)/\(dump)"))
        if let kept = getenv("COUNTERSIGN_DUMPS") { rename("\(folder)/\(dump)", "\(String(cString: kept))/\(dump)") }
        for dump in try dumps() { unlink("\(folder)/\(dump)") }
        return cost
    }

    /// Sorted by their numbers.
    private func dumps() throws -> [String] {
        guard let handle = opendir(folder) else { throw Failure("cannot list \(folder)", errno: errno) }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("cost.out.") { names.append(name) }
        }
        return names.sorted { ($0.count, $0) < ($1.count, $1) }
    }

    private func control(_ action: String) throws {
        _ = try Child.output(["callgrind_control", action, String(child.pid)], folder: folder, within: .seconds(60))
    }

    private static let allocators: Set = ["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"]

    /// Reads a dump: its total, and calls of allocators from functions that are none.
    static func cost(of dump: String) throws -> Cost {
        var instructions: Double?
        var allocations = 0.0
        var isAllocator = false
        var isCallToAllocator = false
        for line in dump.utf8.split(separator: UInt8(ascii: "\n")) {
            switch line.first {
            case UInt8(ascii: "f"):
                if let name = value(of: "fn=", line) { isAllocator = isAllocating(name) }
            case UInt8(ascii: "c"):
                if let name = value(of: "cfn=", line) {
                    isCallToAllocator = isAllocating(name)
                } else if isCallToAllocator, !isAllocator, let text = value(of: "calls=", line) {
                    allocations += text.split(separator: " ").first.flatMap { Double(String($0)) } ?? 0
                }
            case UInt8(ascii: "t"):
                if let text = value(of: "totals: ", line) { instructions = Double(String(text)) }
            default: break
            }
        }
        guard let instructions else { throw Failure("callgrind's dump has no total") }
        return Cost(instructions: instructions, allocations: allocations)
    }

    private static func value(of name: String, _ line: Substring.UTF8View) -> Substring? {
        line.starts(with: name.utf8) ? Substring(line.dropFirst(name.utf8.count)) : nil
    }

    /// mimalloc's own functions have the C library's names behind `mi_`.
    private static func isAllocating(_ name: Substring) -> Bool {
        allocators.contains(String(name.hasPrefix("mi_") ? name.dropFirst(3) : name))
    }
}
