import Synchronization

/// The held answers of waiting pages. One thing that pages wait for holds few of them, so that the pages of one person
/// do not take the places of others'.
final class HeldPages: Sendable {
    /// Identifies what a page waits for.
    typealias Key = [UInt8]

    private struct Page: Sendable {
        let number: UInt64
        let wait: Task<Bool, any Error>
    }

    private struct State {
        var last: UInt64 = 0
        /// In the order in which they began.
        var pages: [Key: [Page]] = [:]
    }

    private static let limit = 2

    private let state = Mutex(State())

    /// Returns what `wait` returns. Nil means that newer pages displaced this one, whose `wait` is then cancelled.
    func hold(_ key: Key, _ wait: @escaping @Sendable () async throws -> Bool) async throws -> Bool? {
        let task = Task { try await wait() }
        let number = begin(task, key)
        defer { end(number, key) }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        return try isHeld(number, key) ? result.get() : nil
    }

    /// Displaces the oldest beyond the limit.
    private func begin(_ wait: Task<Bool, any Error>, _ key: Key) -> UInt64 {
        let (number, displaced) = state.withLock { state in
            state.last += 1
            let pages = (state.pages[key] ?? []) + [Page(number: state.last, wait: wait)]
            state.pages[key] = Array(pages.suffix(Self.limit))
            return (state.last, Array(pages.dropLast(Self.limit)))
        }
        for page in displaced { page.wait.cancel() }
        return number
    }

    private func isHeld(_ number: UInt64, _ key: Key) -> Bool {
        state.withLock { $0.pages[key]?.contains { $0.number == number } == true }
    }

    private func end(_ number: UInt64, _ key: Key) {
        state.withLock { state in
            state.pages[key]?.removeAll { $0.number == number }
            if state.pages[key]?.isEmpty == true { state.pages[key] = nil }
        }
    }
}
