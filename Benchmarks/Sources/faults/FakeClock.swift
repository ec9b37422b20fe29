import Glibc
import Workbench

/// A clock of one process, which a file sets while it runs (Debian's libfaketime). The monotonic clock stays the system's.
struct FakeClock {
    /// The library, where Debian has it. Nil if it is not installed.
    private static let library = ["x86_64", "aarch64"]
        .map { (machine: String) -> String in "/usr/lib/\(machine)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { access($0, R_OK) == 0 }

    private let file: String
    /// Words before those of the command.
    let prefix: [String]

    /// Nil without the library.
    init?(folder: String) throws {
        guard let library = Self.library else { return nil }
        file = "\(folder)/clock"
        prefix = [
            "env", "LD_PRELOAD=\(library)", "FAKETIME_TIMESTAMP_FILE=\(file)", "FAKETIME_CACHE_DURATION=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            // The library adds to the environment of its first process, after which Swift finds no arguments.
            "sh", "-c", #"exec "$@""#, "sh",
        ]
        try set(0)
    }

    /// Seconds from the system's clock. The process notices it within a second.
    func set(_ seconds: Int) throws { try writeFile(file, "\(seconds < 0 ? "" : "+")\(seconds)\n") }
}
