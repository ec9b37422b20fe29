package import Glibc
import Synchronization

/// Ends every child by its pid, and removes every mount and temporary folder, at the end and on Ctrl-C.
package enum CleanUp {
    private struct Holdings {
        var children: Set<pid_t> = []
        var folders: [String] = []
        var mounts: [String] = []
    }

    private static let holdings = Mutex(Holdings())

    package static func add(_ pid: pid_t) { holdings.withLock { _ = $0.children.insert(pid) } }
    package static func forget(_ pid: pid_t) { holdings.withLock { _ = $0.children.remove(pid) } }
    package static func addFolder(_ path: String) { holdings.withLock { $0.folders.append(path) } }
    package static func addMount(_ path: String) { holdings.withLock { $0.mounts.append(path) } }

    /// Must be called before any thread starts, so that one waiting thread gets all signals that end the program.
    package static func onSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { _ in
                var signals = sigset_t()
                sigemptyset(&signals)
                for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
                var signal: Int32 = 0
                sigwait(&signals, &signal)
                CleanUp.run()
                _exit(128 + signal)
            }, nil)
    }

    package static func run() {
        holdings.withLock { holdings in
            for pid in holdings.children { kill(pid, SIGTERM) }
            for pid in holdings.children where !Child.reap(pid, within: .seconds(3)) {
                kill(pid, SIGKILL)
                _ = Child.reap(pid, within: .seconds(1))
            }
            // Detached at once, and gone with its last open file.
            for mount in holdings.mounts { umount2(mount, Int32(MNT_DETACH)) }
            for folder in holdings.folders { removeTree(folder) }
            holdings = Holdings()
        }
    }
}
