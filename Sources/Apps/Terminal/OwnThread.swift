import Threads

/// Runs blocking code on its own thread, so that the cooperative pool never waits. Nil means that the system refused to
/// create a thread.
func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result? {
    await withCheckedContinuation { continuation in
        do {
            try SystemThread.detach { continuation.resume(returning: body()) }
        } catch {
            continuation.resume(returning: nil)
        }
    }
}
