import Glibc
import Synchronization

/// Loops that were closed and whose threads still run. Nobody waits for them but the process's exit, at which OpenSSL
/// frees what they use.
enum EndingLoops {
    /// Longest wait of the exit, in milliseconds.
    private static let patience = 1000

    private static let count = Atomic<Int>(0)

    /// True after the exit was made to wait. The first reader does that, and libcurl has to be ready: handlers run in
    /// reverse order.
    static let areAwaited = atexit({ EndingLoops.awaitAll() }) == 0

    static func add() { count.add(1, ordering: .relaxed) }
    static func remove() { count.subtract(1, ordering: .releasing) }

    private static func awaitAll() {
        for _ in 0..<patience where count.load(ordering: .acquiring) > 0 { usleep(1000) }
    }
}
