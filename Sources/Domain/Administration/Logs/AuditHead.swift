public import Primitives

/// The last entry of an audit log at some moment: whoever notes it elsewhere can prove later that everything up to it
/// is still as it was. Written as `SEQUENCE:HASH`, the hash in hexadecimal digits.
public struct AuditHead: Sendable, Equatable, LosslessStringConvertible {
    public let sequence: Int64
    public let hash: Digest256

    public init(sequence: Int64, hash: Digest256) {
        self.sequence = sequence
        self.hash = hash
    }

    public init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = Int64(parts[0]), sequence > 0,
            let hash = Hex.decode(String(parts[1])), hash.count == Digest256.size
        else { return nil }
        self.init(sequence: sequence, hash: Digest256(hash))
    }

    public var description: String { "\(sequence):\(Hex.encode(hash.bytes))" }
}
