import Glibc
import Synchronization
import Threads

/// A request to stop, sent by the terminal or by another process.
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

    /// Delivers these signals to the stream instead of ending the process. SIGHUP stays ignored if it was ignored
    /// before, as nohup does. A signal reaches only one stream, so a program should create one. Child processes start
    /// with the default behaviour.
    ///
    /// Throws if the system cannot create a pipe or thread.
    package static func stream() throws(CommandFailure) -> AsyncStream<TerminationSignal> {
        guard let pipe = WakePipe() else {
            throw CommandFailure("cannot watch for signals: the system has no pipe left")
        }
        let (stream, continuation) = AsyncStream.makeStream(of: TerminationSignal.self)
        let watch: @Sendable () -> Void = {
            // All threads block all signals except the main thread, which may have ended. The handler needs a thread to
            // run on.
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
            throw CommandFailure("cannot watch for signals: the system has no thread left")
        }
        // The handler may run at any time from here on. The thread above keeps the pipe open.
        handlerPipe.store(pipe.writeEnd, ordering: .sequentiallyConsistent)
        for signal in allCases {
            if signal == .hangUp, isIgnored(signal) { continue }
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { signal in
                // POSIX allows few functions in a handler: one write, with errno restored.
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
