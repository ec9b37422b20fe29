/// UUIDs that are derived from other values (RFC 9562).
package enum UUIDText {
    /// Version 8 with the first 16 of `bytes`, less the bits of version and variant (RFC 9562 clause 5.8). Lower case.
    package static func version8(_ bytes: [UInt8]) -> String {
        var bytes = bytes.prefix(16) + []
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let parts = [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]]
        return parts.map { Hex.encode($0) }.joined(separator: "-")
    }
}
