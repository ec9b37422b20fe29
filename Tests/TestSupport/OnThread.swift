import Foundation

/// Runs blocking code on a thread of its own and returns its result.
///
/// The cooperative pool has as many threads as the machine has processors, and all tests run on it at once: a test
/// that waits in a system call there takes a thread from everyone, also from what it waits for.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
