/// Failed attempts at an account.
package struct AttemptCount: Sendable, Equatable {
    /// The peer's address. Nil means all addresses.
    package let address: String?
    package let count: Int

    package init(address: String?, count: Int) {
        self.address = address
        self.count = count
    }
}
