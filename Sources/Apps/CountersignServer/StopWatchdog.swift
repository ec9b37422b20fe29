import Glibc
import Threads

/// Ends the process if stopping the server takes longer than it may: work that never comes back would keep it for ever.
/// It has a thread of its own, because all others may be what hangs.
package enum StopWatchdog {
    /// The time for the last answers and for closing the database, beyond the limit of requests.
    static let grace = Duration.milliseconds(700)
    /// Time for the log's thread to write the last line.
    private static let lastLine = timespec(tv_sec: 0, tv_nsec: 100_000_000)

    /// Starts to count. The process ends with status 1.
    package static func start(for server: Server, _ log: Log) throws {
        let (seconds, attoseconds) = (server.settings.stopLimit + grace).components
        let limit = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        try SystemThread.detach {
            // A thread of this kind takes no signals, so nothing ends the wait early.
            var time = limit
            nanosleep(&time, nil)
            log.write(
                .error, "stopped by force",
                ["reason": "stop_limit has passed", "waiting_for": server.stopStep?.rawValue ?? "nothing"])
            var pause = lastLine
            nanosleep(&pause, nil)
            _exit(1)
        }
    }
}
