import Foundation
import Glibc
import Synchronization

/// One of the package's commands, run as a process of its own. It is killed after a minute whatever happens, so that
/// whatever waits for it ends.
///
/// Foundation's `Process` is not used: with many at once it now and then misses the end of one.
final class Program: Sendable {
    let output = Transcript()
    let errors = Transcript()
    private let child: Child

    /// Where the build put the commands: beside the program that runs these tests.
    static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    /// Starts a command in `folder` with nothing in its environment but what it needs and `environment`.
    init(
        _ arguments: [String], of name: String = "countersign", in folder: URL, environment: [String: String] = [:]
    ) throws {
        let built = Self.folder.appendingPathComponent(name).path
        let path = access(built, X_OK) == 0 ? built : "/bin/\(name)"
        let variables = environment.merging(
            ["PATH": "/usr/bin:/bin", "HOME": folder.path], uniquingKeysWith: { given, _ in given })
        let (child, outputEnd, errorsEnd) = try Self.starting.withLock { _ in
            let output = try Self.makePipe()
            let errors = try Self.makePipe()
            defer {
                close(output.writing)
                close(errors.writing)
            }
            let child = try Child(
                path, arguments: arguments, environment: variables, folder: folder.path, output: output.writing,
                errors: errors.writing)
            return (child, output.reading, errors.reading)
        }
        self.child = child
        output.read(outputEnd)
        errors.read(errorsEnd)
        child.watch()
    }

    /// One start at a time, so that no child inherits the pipes of another and keeps them open.
    private static let starting = Mutex(())

    private static func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    func send(_ signal: Int32) { child.send(signal) }

    /// The exit status; 128 and the signal's number where one ended the process.
    func status() async -> Int32 { await child.status() }

    /// Runs a command to its end.
    static func run(
        _ arguments: [String], of name: String = "countersign", in folder: URL, environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, errors: String) {
        let program = try Program(arguments, of: name, in: folder, environment: environment)
        let status = await program.status()
        return (status, await program.output.all(), await program.errors.all())
    }
}

/// A process and the status it ends with.
private final class Child: Sendable {
    private struct State {
        var status: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    private let identifier: pid_t
    private let state = Mutex(State())

    init(
        _ path: String, arguments: [String], environment: [String: String], folder: String, output: Int32,
        errors: Int32
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads that run tests block signals, which a child would go on with.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = (["env", "-C", folder, path] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var identifier: pid_t = 0
        let failure = posix_spawn(&identifier, "/usr/bin/env", &actions, &attributes, &words, &variables)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        self.identifier = identifier
    }

    /// Waits for the end on a thread of its own, and brings it about after a minute.
    func watch() {
        Thread.detachNewThread { [self] in
            var information = siginfo_t()
            // The process stays a zombie until the state knows, so that no signal goes to a stranger with its number.
            while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            let (status, waiting) = state.withLock { state in
                var raw: Int32 = 0
                waitpid(identifier, &raw, 0)
                let status = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F
                defer { state = State(status: status) }
                return (status, state.waiting)
            }
            for continuation in waiting { continuation.resume(returning: status) }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [weak self] in self?.send(SIGKILL) }
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

/// What a process wrote so far, and waiting for what it will write.
final class Transcript: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isOver = false
        var waiting: [(text: String?, continuation: CheckedContinuation<Bool, Never>)] = []

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private let state = Mutex(State())

    /// Reads a pipe to its end on a thread of its own, and closes it.
    func read(_ descriptor: Int32) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                take(buffer[..<max(0, count)])
                if count <= 0 { break }
            }
            close(descriptor)
        }
    }

    /// Nothing is the end.
    private func take(_ bytes: ArraySlice<UInt8>) {
        let ready = state.withLock { state in
            state.bytes += bytes
            state.isOver = bytes.isEmpty
            let text = state.text
            let isOver = state.isOver
            let isReady: (String?) -> Bool = { wanted in isOver || wanted.map { text.contains($0) } ?? false }
            let ready = state.waiting.filter { isReady($0.text) }
            state.waiting.removeAll { isReady($0.text) }
            return ready.map { ($0.continuation, $0.text.map { text.contains($0) } ?? true) }
        }
        for (continuation, found) in ready { continuation.resume(returning: found) }
    }

    /// Returns when `text` was written, or false when the process ended without; nil waits for its end.
    @discardableResult
    func wait(for text: String?) async -> Bool {
        await withCheckedContinuation { continuation in
            let known: Bool? = state.withLock { state in
                if let text, state.text.contains(text) { return true }
                if state.isOver { return text == nil }
                state.waiting.append((text, continuation))
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    var soFar: String { state.withLock(\.text) }

    /// Everything, when the process has ended.
    func all() async -> String {
        await wait(for: nil)
        return soFar
    }
}
