import Load
import Synchronization

/// Keeps the first unexpected answer, to explain a failed measurement.
enum Problems {
    private static let first = Mutex<String?>(nil)

    static func note(_ answer: Answer, to step: String) {
        first.withLock { first in
            guard first == nil else { return }
            let body = String(decoding: answer.body.prefix(400), as: UTF8.self)
            first = "\(step) answered \(answer.status): \(body)"
        }
    }

    /// Returns the answer and forgets it.
    static func take() -> String? {
        first.withLock { first in
            defer { first = nil }
            return first
        }
    }
}
