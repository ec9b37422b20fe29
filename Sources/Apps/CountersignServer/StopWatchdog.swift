import Glibc
import Threads

/// Ends the process if stopping the server takes too long because some work never returns. It has its own thread,
/// because all other threads may be blocked.
package enum StopWatchdog {
    /// Time beyond the limit of requests for the last responses and for closing the database.
    static let grace = Duration.milliseconds(700)
    /// Time for the log's thread to write the last line.
    private static let lastLine = timespec(tv_sec: 0, tv_nsec: 100_000_000)

    /// Starts the countdown. The process ends with status 1.
    package static func start(for server: Server, _ log: Log) throws {
        let (seconds, attoseconds) = (server.settings.stopLimit + grace).components
        let limit = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        try SystemThread.detach {
            // This thread receives no signals, so the sleep is not interrupted.
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
