import Persistence
import Primitives
import SQL
import Synchronization
import TestSupport

/// Statements of each step of the schema, as an empty database gets them.
struct RecordedSteps {
    /// In order: a step's name and its scripts and statements.
    let steps: [(name: String, statements: [String])]

    init(_ driver: TemporaryStore.Driver) async throws {
        let recorder = Recorder(wrapped: try TemporaryStore.emptyDatabase(driver))
        try await recorder.migrate(Schema.migrations)
        let recorded = recorder.steps.withLock { $0 }
        // The first transaction makes the history.
        steps = zip(Schema.migrations.map(\.name), recorded.dropFirst()).map { ($0, $1) }
    }

    /// SHA-256 of a step by its name, without comments and the breaks of lines.
    var digests: [(name: String, digest: String)] {
        steps.map { step in
            let text = step.statements.map(Self.bare).joined(separator: "\n")
            return (step.name, Hex.encode(Array(Samples.hashing.sha256(Array(text.utf8)))))
        }
    }

    /// A statement without its comments, with single blanks.
    static func bare(_ statement: String) -> String {
        statement.split(separator: "\n")
            // No text of the schema has two hyphens.
            .map { line in line.firstRange(of: "--").map { line[..<$0.lowerBound] } ?? line }
            .flatMap { $0.split(whereSeparator: \.isWhitespace) }.joined(separator: " ")
    }
}

/// Keeps the changes of each transaction.
private final class Recorder: DatabaseWrapper {
    let wrapped: any Database
    let steps = Mutex<[[String]]>([])

    init(wrapped: any Database) { self.wrapped = wrapped }

    nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        let (result, statements) = try await wrapped.write { connection in
            let recording = RecordingConnection(wrapped: connection)
            return (try body(recording), recording.statements)
        }
        steps.withLock { $0.append(statements) }
        return result
    }
}

private final class RecordingConnection: ConnectionWrapper {
    let wrapped: any Connection
    private(set) var statements: [String] = []

    init(wrapped: any Connection) { self.wrapped = wrapped }

    func note(_ statement: Statement) throws { keep(statement.text(in: dialect)) }

    func script(_ text: String) throws(SQLError) {
        keep(text)
        try wrapped.script(text)
    }

    /// Without the mark that ends a step, and reads of the marks.
    private func keep(_ text: String) {
        if !text.contains("schema_migrations") { statements.append(text) }
    }
}
