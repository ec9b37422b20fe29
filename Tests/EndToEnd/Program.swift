import Foundation
import Synchronization

/// One of the package's commands in a process of its own, and the lines it prints.
final class Program: Sendable {
    let pid: pid_t
    private let output = Lines()
    private let errors: URL
    private let ending = Ending()

    /// Where the build put the commands: beside the program that runs these tests.
    static let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts `name`; its standard error goes to a file in `folder`.
    init(_ name: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:]) throws {
        errors = folder.appending(path: "\(name)-\(UUID().uuidString).log")
        try Data().write(to: errors)
        let process = Process()
        process.executableURL = Self.folder.appending(path: name)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path].merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = try FileHandle(forWritingTo: errors)
        pipe.fileHandleForReading.readabilityHandler = { [output] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            output.take(data)
        }
        process.terminationHandler = { [ending] process in
            let isExit = process.terminationReason == .exit
            ending.tell(isExit ? process.terminationStatus : 128 + process.terminationStatus)
        }
        try process.run()
        pid = process.processIdentifier
    }

    deinit { if ending.status == nil { kill(pid, SIGKILL) } }

    func send(_ signal: Int32) { if ending.status == nil { kill(pid, signal) } }

    /// The exit status, or 128 and the number of the signal that ended the process.
    func status() async throws -> Int32 {
        try await within(.seconds(30), "\(pid) to end") { await self.ending.wait() }
    }

    /// The next line for which `isWanted` holds.
    func line(where isWanted: @escaping @Sendable (String) -> Bool) async throws -> String {
        let line = try await within(.seconds(30), "a line of \(pid)") { await self.output.next(where: isWanted) }
        guard let line else { throw Failure(description: "the program ended: \(log)") }
        return line
    }

    /// What it wrote to standard error so far.
    var log: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Runs a command to its end.
    static func run(
        _ name: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:]
    ) async throws -> Result {
        let program = try Program(name, arguments, in: folder, environment: environment)
        let status = try await program.status()
        var lines: [String] = []
        while let line = await program.output.next(where: { _ in true }) { lines.append(line) }
        return Result(status: status, output: lines.joined(separator: "\n"), errors: program.log)
    }
}

/// Runs `body`, and fails when it takes longer than anything should.
func within<Value: Sendable>(
    _ limit: Duration, _ what: String, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw Program.Failure(description: "waited \(limit) for \(what)")
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}

/// Lines as they come, for one reader.
private final class Lines: Sendable {
    private let partial = Mutex(Data())
    private let stream: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Empty data is the end.
    func take(_ data: Data) {
        let complete = partial.withLock { partial in
            partial.append(data)
            var lines: [String] = []
            while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: partial[..<end], as: UTF8.self))
                partial = Data(partial[(end + 1)...])
            }
            if data.isEmpty, !partial.isEmpty { lines.append(String(decoding: partial, as: UTF8.self)) }
            return lines
        }
        for line in complete { continuation.yield(line) }
        if data.isEmpty { continuation.finish() }
    }

    func next(where isWanted: (String) -> Bool) async -> String? {
        for await line in stream where isWanted(line) { return line }
        return nil
    }
}

/// The status a process ended with, for all who wait for it.
private final class Ending: Sendable {
    private let state = Mutex<(status: Int32?, waiting: [AsyncStream<Int32>.Continuation])>((nil, []))

    var status: Int32? { state.withLock { $0.status } }

    func tell(_ status: Int32) {
        let waiting = state.withLock { state in
            defer { state = (status, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.yield(status) }
    }

    /// -1 where the wait was cancelled.
    func wait() async -> Int32 {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        let known = state.withLock { state in
            if state.status == nil { state.waiting.append(continuation) }
            return state.status
        }
        if let known { return known }
        for await status in stream { return status }
        return -1
    }
}
