/// Lets time pass; tests advance it by hand.
package protocol Timer: Sendable {
    /// Throws `CancellationError` if the task is cancelled.
    func sleep(_ duration: Duration) async throws

    /// Time since an arbitrary moment. It never jumps, unlike a clock that people set.
    var uptime: Duration { get }
}
