package import ApprovalWire

/// Port: places of network addresses.
package protocol PlaceFinder: Sendable {
    /// Nil means that the place is not known. Answers at once, without the network.
    func place(of address: String) -> RequestRecord.Place?
}
