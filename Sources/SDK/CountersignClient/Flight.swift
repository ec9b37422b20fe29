/// Work that several wait for, and that none of them ends by waiting no longer.
typealias Flight<Value: Sendable> = Task<Result<Value, CountersignError>, Never>

extension Task where Failure == Never {
    /// What it came to. Throws `cancelled` at once where the caller's task is cancelled; the flight goes on.
    func landed<Value>() async throws(CountersignError) -> Value where Success == Result<Value, CountersignError> {
        let (outcomes, continuation) = AsyncStream.makeStream(of: Success.self)
        Task<Void, Never> {
            continuation.yield(await value)
            continuation.finish()
        }
        // Ends without an element when the caller is cancelled.
        for await outcome in outcomes { return try outcome.get() }
        throw .cancelled
    }
}
