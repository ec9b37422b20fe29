/// A task shared by several callers. It continues if callers stop waiting.
typealias Flight<Value: Sendable> = Task<Result<Value, CountersignError>, Never>

extension Task where Failure == Never {
    /// The task's result. Throws `cancelled` at once if the caller's task is cancelled. The shared task continues.
    func outcome<Value>() async throws(CountersignError) -> Value where Success == Result<Value, CountersignError> {
        let (outcomes, continuation) = AsyncStream.makeStream(of: Success.self)
        Task<Void, Never> {
            continuation.yield(await value)
            continuation.finish()
        }
        // Ends without an element if the caller is cancelled.
        for await outcome in outcomes { return try outcome.get() }
        throw .cancelled
    }
}
