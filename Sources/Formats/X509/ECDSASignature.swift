import JOSE

/// An ECDSA signature as DER has it (RFC 3279 clause 2.2.3), as certificates and WebAuthn do.
package enum ECDSASignature {
    /// Both numbers with `size` bytes each, as JOSE has them (RFC 7518 clause 3.4). Nil unless `der` is their only
    /// encoding.
    package static func concatenated(der: [UInt8], size: Int) -> [UInt8]? {
        func parse() throws(DERReader.Failure) -> [UInt8] {
            var outer = DERReader(der[...])
            var numbers = try outer.sequence()
            try outer.end()
            let (r, s) = (try numbers.unsignedInteger(), try numbers.unsignedInteger())
            try numbers.end()
            guard r.count <= size, s.count <= size else { throw DERReader.Failure() }
            return [r, s].flatMap { [UInt8](repeating: 0, count: size - $0.count) + $0 }
        }
        return try? parse()
    }
}
