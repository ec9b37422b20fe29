import Load
import Synchronization

/// The first answer that no scenario wanted, kept so that a failed measurement can say why.
enum Problems {
    private static let first = Mutex<String?>(nil)

    static func note(_ answer: Answer, to step: String) {
        first.withLock { first in
            guard first == nil else { return }
            let body = String(decoding: answer.body.prefix(400), as: UTF8.self)
            first = "\(step) answered \(answer.status): \(body)"
        }
    }

    /// Returns what was kept and forgets it.
    static func take() -> String? {
        first.withLock { first in
            defer { first = nil }
            return first
        }
    }
}
