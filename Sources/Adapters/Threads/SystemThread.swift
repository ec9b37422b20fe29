#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread of the system, for what blocks or never ends: the cooperative pool must not wait.
///
/// It takes no signals: SIGPIPE of a connection that the peer closed must not end the process, and the others belong to
/// whoever waits for them.
package struct SystemThread: Sendable {
    /// The system has no thread to give.
    package struct Failure: Error, Sendable {
        /// An error number of `pthread_create`.
        package let code: Int32
    }

    #if canImport(Darwin)
        // A pointer there, which only pthread functions look through.
        private nonisolated(unsafe) let thread: pthread_t
    #else
        private let thread: pthread_t
    #endif

    /// Starts a thread that somebody must `join`.
    package init(running body: @escaping @Sendable () -> Void) throws(Failure) {
        let start = Unmanaged.passRetained(Start(body))
        #if canImport(Darwin)
            var made: pthread_t?
            let code = pthread_create(&made, nil, { Start.run($0) }, start.toOpaque())
        #else
            var created = pthread_t()
            let code = pthread_create(&created, nil, { Start.run($0) }, start.toOpaque())
            let made: pthread_t? = created
        #endif
        guard code == 0, let made else {
            start.release()
            throw Failure(code: code)
        }
        thread = made
    }

    /// Starts a thread that nobody waits for.
    package static func detach(_ body: @escaping @Sendable () -> Void) throws(Failure) {
        pthread_detach(try SystemThread(running: body).thread)
    }

    /// Waits for the thread's end; on the thread itself it only lets go of it.
    package func join() {
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    /// What a new thread is given.
    private final class Start: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_SETMASK, &signals, nil)
            if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
            return nil
        }
    }
}
