package import Primitives

/// The last entry of an audit log at some moment. Noted elsewhere, it proves later that no earlier entry changed.
/// Written as `SEQUENCE:HASH`, the hash in hexadecimal digits.
package struct AuditHead: Sendable, Equatable, LosslessStringConvertible {
    package let sequence: Int64
    package let hash: Digest256

    package init(sequence: Int64, hash: Digest256) {
        self.sequence = sequence
        self.hash = hash
    }

    package init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = Int64(parts[0]), sequence > 0,
            let hash = Hex.decode(String(parts[1])), hash.count == Digest256.size
        else { return nil }
        self.init(sequence: sequence, hash: Digest256(hash))
    }

    package var description: String { "\(sequence):\(Hex.encode(hash.bytes))" }
}
