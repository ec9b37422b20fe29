#if os(Linux)
    import Foundation
    import Glibc
    import Synchronization

    /// A process and its exit status.
    final class ChildProcess: Sendable {
        private struct State {
            var status: Int32?
            var waiting: [CheckedContinuation<Int32, Never>] = []
        }

        /// Descriptors of the output and error pipes. The reader closes them.
        let output: Int32
        let errors: Int32
        private let input: Int32?
        private let identifier: pid_t
        private let state = Mutex(State())

        /// Starts the command `words`. The program is searched in the system's folders.
        init(_ words: [String], environment: [String: String], input: [UInt8]?) async throws {
            let started = try await StartingThread.shared.run {
                try Self.start(words, environment: environment, input: input)
            }
            output = started.output
            errors = started.errors
            self.input = started.input
            identifier = started.identifier
        }

        private static func start(
            _ words: [String], environment: [String: String], input: [UInt8]?
        ) throws -> (identifier: pid_t, input: Int32?, output: Int32, errors: Int32) {
            let given = try input.map { _ in try Pipe() }
            let output = try Pipe()
            let errors = try Pipe()
            defer {
                for end in [given?.reading, output.writing, errors.writing] { end.map { _ = close($0) } }
            }
            // Before the start: a program that has ended already would make this a SIGPIPE.
            if let given, let input { _ = write(given.writing, input, input.count) }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            if let given {
                posix_spawn_file_actions_adddup2(&actions, given.reading, STDIN_FILENO)
            } else {
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            }
            posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, errors.writing, STDERR_FILENO)
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            // The threads that run tests block signals, and a child would inherit that.
            var none = sigset_t()
            sigemptyset(&none)
            posix_spawnattr_setsigmask(&attributes, &none)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
            var arguments = (["setpriv", "--pdeathsig", "KILL"] + words).map { strdup($0) } + [nil]
            var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
            defer { for text in arguments + variables { free(text) } }
            var identifier: pid_t = 0
            let failure = posix_spawn(&identifier, "/usr/bin/setpriv", &actions, &attributes, &arguments, &variables)
            guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
            return (identifier, given?.writing, output.reading, errors.reading)
        }

        /// Waits for the exit on a thread of its own, and kills the process after `lifetime`.
        func watch(lifetime: Duration) {
            Thread.detachNewThread { [self] in
                var information = siginfo_t()
                // The process stays a zombie until the state is set, so that no signal goes to a new process with its
                // number.
                while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
                let (status, waiting) = state.withLock { state in
                    var raw: Int32 = 0
                    waitpid(identifier, &raw, 0)
                    let status = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F
                    defer { state = State(status: status) }
                    return (status, state.waiting)
                }
                if let input { close(input) }
                for continuation in waiting { continuation.resume(returning: status) }
            }
            let limit = DispatchTime.now() + .seconds(Int(lifetime.components.seconds))
            DispatchQueue.global().asyncAfter(deadline: limit) { [weak self] in self?.send(SIGKILL) }
        }

        func send(_ signal: Int32) {
            state.withLock { state in
                if state.status == nil { _ = kill(identifier, signal) }
            }
        }

        func status() async -> Int32 {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state in
                    if state.status == nil { state.waiting.append(continuation) }
                    return state.status
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            (reading, writing) = (ends[0], ends[1])
        }
    }

    /// Starts all processes: one at a time, so that no child inherits the pipes of another and keeps them open; and on
    /// a thread that never ends, since it is that thread's death that the kernel tells a child of (prctl(2)).
    private final class StartingThread: Sendable {
        static let shared = StartingThread()

        private let waiting = Mutex<[@Sendable () -> Void]>([])
        private let arrival = DispatchSemaphore(value: 0)

        private init() {
            Thread.detachNewThread { [self] in
                while true {
                    arrival.wait()
                    waiting.withLock { $0.removeFirst() }()
                }
            }
        }

        func run<Value: Sendable>(_ start: @escaping @Sendable () throws -> Value) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                waiting.withLock { $0.append { continuation.resume(with: Result { try start() }) } }
                arrival.signal()
            }
        }
    }
#endif
