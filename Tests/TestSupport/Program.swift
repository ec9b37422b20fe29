#if os(Linux)
    package import Foundation
    import Glibc
    import Synchronization

    /// One of the package's commands, or any other program, run as a process of its own.
    ///
    /// It is killed when its owner is gone, when the tests end in whatever way, and when its time is over, so that
    /// nothing is left behind and whatever waits for it ends. Foundation's `Process` is not used: with several threads
    /// that start one it now and then misses an end, or crashes.
    package final class Program: Sendable {
        package let output: Transcript
        package let errors: Transcript
        private let child: ChildProcess

        /// Folder of the built commands, beside the program that runs these tests. `COUNTERSIGN_TEST_COMMANDS` names another.
        private static let commands =
            ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_COMMANDS"].map { URL(filePath: $0) }
            ?? URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

        /// Starts a command in `folder` with a minimal environment and `environment`.
        /// - Parameters:
        ///   - name: a command of the package or of the system, or a path.
        ///   - input: bytes of standard input, which then stays open. Nil means an empty, closed input.
        ///   - lifetime: time until the program is killed, longer under a sanitizer.
        package init(
            _ arguments: [String], of name: String = "countersign", in folder: URL,
            environment: [String: String] = [:], input: String? = nil, lifetime: Duration = .seconds(120)
        ) async throws {
            let built = name.hasPrefix("/") ? name : Self.commands.appending(path: name).path
            let path = access(built, X_OK) == 0 ? built : "/usr/bin/\(name)"
            var variables = ["PATH": "/usr/bin:/bin", "HOME": folder.path]
            // A sanitizer's settings, which child processes need too.
            for name in ["LD_PRELOAD", "TSAN_OPTIONS", "SWIFT_BACKTRACE"] {
                variables[name] = ProcessInfo.processInfo.environment[name]
            }
            let words = ["env", "-C", folder.path, path] + arguments
            child = try await ChildProcess(
                words, environment: variables.merging(environment) { $1 }, input: input.map { Array($0.utf8) })
            output = Transcript(reading: child.output)
            errors = Transcript(reading: child.errors)
            child.watch(lifetime: lifetime * Patience.factor)
        }

        deinit { child.send(SIGKILL) }

        package func send(_ signal: Int32) { child.send(signal) }

        /// The exit status, or 128 plus the number of the signal that ended the process.
        package func status() async -> Int32 { await child.status() }

        /// The next line of the output that was not taken so far and for which `isWanted` holds.
        package func line(where isWanted: @escaping @Sendable (String) -> Bool) async throws -> String {
            try await output.line(where: isWanted).orThrow("the program ended: \(errors.soFar)")
        }

        package struct Result: Sendable {
            package let status: Int32
            package let output: String
            package let errors: String
        }

        /// Runs a command to its end.
        package static func run(
            _ arguments: [String], of name: String = "countersign", in folder: URL,
            environment: [String: String] = [:], input: String? = nil
        ) async throws -> Result {
            let program = try await Program(
                arguments, of: name, in: folder, environment: environment, input: input)
            return await program.result()
        }

        /// Waits for the end.
        package func result() async -> Result {
            Result(status: await status(), output: await output.all(), errors: await errors.all())
        }
    }
#endif
