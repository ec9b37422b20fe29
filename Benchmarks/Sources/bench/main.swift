import Workbench
import Glibc
import Primitives

CleanUp.onSignals()
do {
    let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
    let folder = try makeTemporaryFolder()
    defer { CleanUp.run() }
    if options.isCalibration {
        print(table([try calibrate(folder: folder, rounds: options.isQuick ? 3 : 7)]), terminator: "")
    } else if let path = options.budgetPath {
        let costs = try CostMeter(program: options.serverPath, folder: folder).measure(options.loads)
        var budget = try CostBudget(path)
        print(budget.table(of: costs), terminator: "")
        if options.writesBudget {
            try budget.write(costs, to: path)
        } else {
            try budget.require(costs)
        }
    } else {
        var bench = Bench(options: options, folder: folder)
        try await bench.run()
        print(table(bench.rows), terminator: "")
        if let slash = options.outputPath.lastIndex(of: "/") { mkdir(String(options.outputPath[..<slash]), 0o755) }
        var writer = JSONWriter()
        writer.array { writer in for row in bench.rows { row.write(to: &writer) } }
        try writeFile(options.outputPath, String(decoding: writer.bytes, as: UTF8.self) + "\n")
    }
} catch {
    CleanUp.run()
    progress("failed: \(error)")
    exit(1)
}
