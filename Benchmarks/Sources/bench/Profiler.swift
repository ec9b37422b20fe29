import Workbench
import Glibc

/// `perf record` on one process while a part is measured.
struct Profiler {
    private let child: Child
    private let data: String
    private let folder: String

    init(pid: pid_t, folder: String) throws(Failure) {
        guard Child.isInstalled("perf") else { throw Failure("--profile needs perf (Debian: linux-perf)") }
        data = "\(folder)/perf.data"
        self.folder = folder
        child = try Child(
            ["perf", "record", "-q", "-F", "499", "-g", "-p", String(pid), "-o", data], log: "\(folder)/perf.log")
        usleep(300_000)
    }

    /// The threads, libraries and symbols that used most time themselves, then the functions that used most with their callees.
    func finish() throws -> String {
        child.end(SIGINT)
        let demangle = Child.isInstalled("swift") ? " | swift demangle --simplified" : ""
        func report(_ options: String, lines: Int) throws -> String {
            let command = "perf report -i \(data) --stdio -g none \(options) 2>/dev/null\(demangle)"
            let text = try Child.output(["sh", "-c", command], folder: folder, within: .seconds(60))
            let rows = text.split(separator: "\n").filter { $0.contains("%") && !$0.hasPrefix("#") }
            return rows.prefix(lines).map { $0.prefix(150) }.joined(separator: "\n")
        }
        return """
            self time by name of threads
            \(try report("--no-children --sort comm", lines: 10))
            self time by library
            \(try report("--no-children --sort dso", lines: 10))
            self time by symbol
            \(try report("--no-children --sort dso,symbol --percent-limit 0.7", lines: 40))
            time with callees
            \(try report("--children --sort dso,symbol --percent-limit 2", lines: 60))
            """
    }
}
