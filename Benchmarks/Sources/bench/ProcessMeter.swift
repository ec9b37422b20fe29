import Workbench
import Glibc

/// The kernel's figures of a running process.
struct ProcessMeter {
    let pid: pid_t

    /// Seconds of processor time since the start, in user and kernel mode, over all threads, and of child processes that
    /// have ended.
    func processorSeconds(withEnded: Bool = false) throws(Failure) -> Double {
        let text = try readText("/proc/\(pid)/stat")
        // The name in parentheses may contain anything, so fields are counted after it. utime and stime are fields 14
        // and 15, those of ended children the next two.
        guard let close = text.lastIndex(of: ")") else { throw Failure("cannot read /proc/\(pid)/stat") }
        let fields = text[text.index(after: close)...].split(separator: " ")
        let times = fields.dropFirst(11).prefix(withEnded ? 4 : 2).compactMap { Double($0) }
        guard times.count == (withEnded ? 4 : 2) else { throw Failure("cannot read /proc/\(pid)/stat") }
        return times.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Bytes read from and written to files since the start, including cached ones.
    func fileBytes() throws(Failure) -> (read: Double, written: Double) {
        (try number("rchar", in: "io"), try number("wchar", in: "io"))
    }

    /// Resident memory in megabytes (10^6 bytes).
    func residentMegabytes() throws(Failure) -> Double { try number("VmRSS", in: "status") * 1024 / 1e6 }

    /// The number after a name in a file of the process with one name per line.
    private func number(_ name: String, in file: String) throws(Failure) -> Double {
        for line in try readText("/proc/\(pid)/\(file)").split(separator: "\n") where line.hasPrefix("\(name):") {
            let words = line.split { $0 == " " || $0 == "\t" }
            if words.count > 1, let number = Double(words[1]) { return number }
        }
        throw Failure("cannot read \(name) in /proc/\(pid)/\(file)")
    }
}

/// Processor time of the calling thread.
func processorNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
