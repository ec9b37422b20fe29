/// Refusal of a request that no handler saw, or whose handler missed its deadline.
package struct HTTPRefusal: Error, Sendable, Equatable {
    package let status: Int
    /// The required change.
    package let description: String

    package init(status: Int, description: String) {
        self.status = status
        self.description = description
    }

    /// Seconds after which the request may succeed (RFC 9110 clause 10.2.3).
    package var retryAfter: Int? { status == 503 ? 1 : nil }
}
