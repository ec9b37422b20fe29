import Glibc
import Workbench

CleanUp.onSignals()
do {
    let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
    print("seed \(options.seed)")
    fflush(nil)
    let folder = try makeTemporaryFolder(isKept: options.keeps)
    if options.keeps { progress("logs are in \(folder)") }
    defer { CleanUp.run() }
    var run = Run(options)
    try run.run(folder: folder)
    print(run.report, terminator: "")
    if !run.violations.isEmpty || !run.complaints.isEmpty {
        progress("failed; --seed \(options.seed) repeats its choices")
        CleanUp.run()
        exit(1)
    }
} catch {
    CleanUp.run()
    progress("failed: \(error)")
    exit(1)
}
