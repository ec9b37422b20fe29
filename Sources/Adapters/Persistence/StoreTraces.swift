import Primitives
package import Tracing

/// Records calls of the database below the requests that make them.
package struct StoreTraces: Sendable {
    private let tracer: Tracer
    private let system: String

    /// - Parameter system: OpenTelemetry's name of the engine: `sqlite` or `postgresql`.
    package init(_ tracer: Tracer, system: String) {
        self.tracer = tracer
        self.system = system
    }

    /// Nil if the present task's work is not recorded.
    func begin(_ operation: String) -> Call? {
        guard var span = tracer.beginBelowCurrent("store \(operation)", .client) else { return nil }
        span.note("db.system.name", system)
        span.note("db.operation.name", operation)
        return Call(tracer: tracer, span: span)
    }

    struct Call {
        fileprivate let tracer: Tracer
        fileprivate let span: Span

        /// An error of the rules, such as a row that is not there, is none of the database.
        nonisolated(nonsending) func around<Result>(_ body: () async throws -> Result) async throws -> Result {
            do {
                let result = try await body()
                tracer.end(span)
                return result
            } catch {
                var span = span
                span.hasFailed = (error as? any TransientError)?.isTransient ?? false
                if span.hasFailed { span.note("error.type", "overloaded") }
                tracer.end(span)
                throw error
            }
        }
    }
}
