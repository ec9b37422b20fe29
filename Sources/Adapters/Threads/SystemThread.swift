#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A system thread for work that blocks or never ends, which the cooperative pool must not run.
///
/// It blocks all signals. SIGPIPE from a closed connection must not end the process, and other signals belong to the
/// thread that waits for them.
package struct SystemThread: Sendable {
    /// The system could not create a thread.
    package struct Failure: Error, Sendable {
        /// Error number of `pthread_create`.
        package let code: Int32
    }

    #if canImport(Darwin)
        // On Darwin it is a pointer, which only pthread functions dereference.
        private nonisolated(unsafe) let thread: pthread_t
    #else
        private let thread: pthread_t
    #endif

    /// Starts a thread that must be joined.
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

    /// Starts a thread that is not joined.
    package static func detach(_ body: @escaping @Sendable () -> Void) throws(Failure) {
        pthread_detach(try SystemThread(running: body).thread)
    }

    /// Waits for the thread's end. On the thread itself, detaches it instead.
    package func join() {
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    /// Argument of a new thread.
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
