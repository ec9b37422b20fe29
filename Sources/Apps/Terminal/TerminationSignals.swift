import Glibc
import Synchronization
import Threads

/// A request to stop, from the terminal or from whoever started the process.
package enum TerminationSignal: Int32, Sendable, CaseIterable {
    /// The terminal was closed.
    case hangUp = 1
    case interrupt = 2
    case terminate = 15

    package var name: String {
        switch self {
        case .hangUp: "SIGHUP"
        case .interrupt: "SIGINT"
        case .terminate: "SIGTERM"
        }
    }

    /// From the first call on, these arrive here instead of ending the process; SIGHUP only where it was not ignored
    /// before, as nohup has it. Each is delivered to one
    /// of the streams there are, so a program wants one. Child processes begin with the default behaviour.
    ///
    /// Throws where the system has no pipe or thread left.
    package static func stream() throws(CommandFailure) -> AsyncStream<TerminationSignal> {
        guard let pipe = WakePipe() else { throw CommandFailure("cannot watch for signals: no pipe to be had") }
        let (stream, continuation) = AsyncStream.makeStream(of: TerminationSignal.self)
        let watch: @Sendable () -> Void = {
            // Every other thread blocks all signals, but for the main one, which may have ended. One must be there to
            // run the handler.
            var signals = sigset_t()
            sigemptyset(&signals)
            for signal in allCases { sigaddset(&signals, signal.rawValue) }
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            var byte: UInt8 = 0
            while true {
                let count = read(pipe.readEnd, &byte, 1)
                let failure = errno
                if count == 1, let signal = TerminationSignal(rawValue: Int32(byte)) { continuation.yield(signal) }
                if count < 0, failure != EINTR { return continuation.finish() }
            }
        }
        do {
            try SystemThread.detach(watch)
        } catch {
            throw CommandFailure("cannot watch for signals: no thread to be had")
        }
        // The handler may run at any time from now on; the thread above keeps the pipe open for as long.
        handlerPipe.store(pipe.writeEnd, ordering: .sequentiallyConsistent)
        for signal in allCases {
            if signal == .hangUp, isIgnored(signal) { continue }
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { signal in
                // Only what POSIX allows in a handler: one write, and errno as it was.
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: signal)
                _ = write(handlerPipe.load(ordering: .sequentiallyConsistent), &byte, 1)
                errno = saved
            }
            action.sa_flags = SA_RESTART
            sigaction(signal.rawValue, &action, nil)
        }
        return stream
    }

    private static func isIgnored(_ signal: TerminationSignal) -> Bool {
        var action = sigaction()
        sigaction(signal.rawValue, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

private let handlerPipe = Atomic<Int32>(-1)
