#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread of our own. It takes no signals: SIGPIPE of a connection the peer closed must not end the process, and
/// the others belong to whoever waits for them.
struct LoopThread: Sendable {
    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func run() {
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_SETMASK, &signals, nil)
            body()
        }
    }

    #if canImport(Darwin)
        // A pointer there, which only pthread functions look through.
        private nonisolated(unsafe) let thread: pthread_t
    #else
        private let thread: pthread_t
    #endif

    /// Nil when the system has no thread to give.
    init?(running body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread: pthread_t? = pthread_t()
        #endif
        let status = Self.create(&thread, start.toOpaque())
        guard status == 0, let thread else {
            start.release()
            return nil
        }
        self.thread = thread
    }

    #if canImport(Darwin)
        private static func create(_ thread: inout pthread_t?, _ argument: UnsafeMutableRawPointer) -> CInt {
            pthread_create(
                &thread, nil,
                { argument in
                    Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, argument)
        }
    #else
        private static func create(_ thread: inout pthread_t?, _ argument: UnsafeMutableRawPointer) -> CInt {
            var created = pthread_t()
            defer { thread = created }
            return pthread_create(
                &created, nil,
                { argument in
                    if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run() }
                    return nil
                }, argument)
        }
    #endif

    /// Waits for the thread's end; on the thread itself it only lets go of it.
    func join() {
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }
}
