import Glibc
import Threads

/// Runs blocking code on its own thread, so that the cooperative pool never waits. Nil means that the system refused to
/// create a thread.
func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result? {
    await withCheckedContinuation { continuation in
        do {
            try SystemThread.detach { continuation.resume(returning: body()) }
        } catch {
            continuation.resume(returning: nil)
        }
    }
}

/// A pipe that wakes a thread waiting in `poll` or `read`. It is closed with its last reference.
final class WakePipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func wake(_ byte: UInt8) {
        var byte = byte
        _ = write(writeEnd, &byte, 1)
    }
}
