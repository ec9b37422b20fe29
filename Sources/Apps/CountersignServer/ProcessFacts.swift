import Glibc

/// Measurements of this process by the system. Nil means that the system does not provide one.
enum ProcessFacts {
    static var residentBytes: Double? {
        guard let text = try? Installation.text(of: "/proc/self/statm") else { return nil }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) }
        return pages.map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
    }

    static var openFiles: Double? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // The count includes ".", ".." and this folder.
        return Double(count - 3)
    }

    static var openFilesLimit: Double? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Double(limit.rlim_cur)
    }

    /// Seconds since 1970.
    static var startTime: Double? {
        // The 22nd field, in ticks since the system started (proc(5)). The second field may contain blanks.
        guard let own = try? Installation.text(of: "/proc/self/stat"), let end = own.lastIndex(of: ")"),
            let system = try? Installation.text(of: "/proc/stat"),
            let ticks = own[end...].split(separator: " ").dropFirst(20).first.flatMap({ Double($0) }),
            let line = system.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let booted = Double(line.dropFirst("btime ".count))
        else { return nil }
        return booted + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    static func size(of file: String) -> Double? {
        var status = stat()
        return stat(file, &status) == 0 ? Double(status.st_size) : nil
    }

    static var swift: String {
        #if compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
