import Glibc

/// What the kernel says of a running process.
struct ProcessMeter {
    let pid: pid_t

    /// Seconds of processor time it used since it started, in user and kernel mode, over all its threads.
    func processorSeconds() throws(Failure) -> Double {
        let text = try readText("/proc/\(pid)/stat")
        // The name in parentheses may hold anything; counting begins behind it. utime and stime are fields 14 and 15.
        guard let close = text.lastIndex(of: ")") else { throw Failure("cannot read /proc/\(pid)/stat") }
        let fields = text[text.index(after: close)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw Failure("cannot read /proc/\(pid)/stat")
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Bytes that it read from files and wrote to files since it started, whether or not the disk saw them.
    func fileBytes() throws(Failure) -> (read: Double, written: Double) {
        let text = try readText("/proc/\(pid)/io")
        func count(_ name: String) throws(Failure) -> Double {
            for line in text.split(separator: "\n") where line.hasPrefix("\(name): ") {
                if let count = Double(line.dropFirst(name.count + 2)) { return count }
            }
            throw Failure("cannot read /proc/\(pid)/io")
        }
        return (try count("rchar"), try count("wchar"))
    }

    /// Resident memory in megabytes (10^6 bytes).
    func residentMegabytes() throws(Failure) -> Double {
        for line in try readText("/proc/\(pid)/status").split(separator: "\n") where line.hasPrefix("VmRSS:") {
            if let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                Double($0)
            }) {
                return kilobytes * 1024 / 1e6
            }
        }
        throw Failure("cannot read /proc/\(pid)/status")
    }
}

/// Processor time of the calling thread.
func processorNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
