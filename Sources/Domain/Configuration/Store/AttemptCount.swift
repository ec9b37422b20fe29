import AuthorizationCore
import Primitives

/// How many attempts at an account failed.
package struct AttemptCount: Sendable, Equatable {
    /// The peer's address; nil for all of them together.
    package let address: String?
    package let count: Int

    package init(address: String?, count: Int) {
        self.address = address
        self.count = count
    }
}
