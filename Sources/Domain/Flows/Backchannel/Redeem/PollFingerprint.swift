import Primitives

/// What tells a poll from every other: half of a SHA-256 of all that its answer hangs on. 128 bits are enough, since a
/// second poll with the same ones would have to be found for a given one.
package struct PollFingerprint: Sendable, Equatable {
    private let high: UInt64
    private let low: UInt64

    init(of poll: UnsafeBufferPointer<UInt8>, _ hashing: any Hashing) {
        (high, low) = hashing.sha256(poll).leadingWords
    }

    /// Stands in for the comparison of a secret, so it takes the same time for all that differ.
    package static func == (left: PollFingerprint, right: PollFingerprint) -> Bool {
        (left.high ^ right.high) | (left.low ^ right.low) == 0
    }
}
