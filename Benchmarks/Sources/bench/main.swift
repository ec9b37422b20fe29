import Glibc
import Primitives

CleanUp.onSignals()
setlinebuf(stdout)
do {
    let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
    let folder = try makeTemporaryFolder()
    defer { CleanUp.run() }
    if options.isCalibration {
        print(table([try calibrate(folder: folder, rounds: options.isQuick ? 3 : 7)]), terminator: "")
    } else {
        var bench = Bench(options: options, folder: folder)
        try bench.run()
        print(table(bench.rows), terminator: "")
        var writer = JSONWriter()
        writer.array { writer in for row in bench.rows { row.write(to: &writer) } }
        try writeFile(options.outputPath, String(decoding: writer.bytes, as: UTF8.self) + "\n")
    }
} catch {
    CleanUp.run()
    progress("failed: \(error)")
    exit(1)
}
