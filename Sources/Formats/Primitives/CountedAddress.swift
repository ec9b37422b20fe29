/// Unit of everything that counts or limits by address: an IPv4 address, or the /64 network of an IPv6 address. Each
/// subscriber has at least such a network (RFC 6177), and could use a new address of it each time.
package enum CountedAddress: Sendable, Hashable, CustomStringConvertible {
    /// An IPv4 address, also one that is mapped into IPv6, in network order.
    case v4(UInt32)
    /// The first half of an address.
    case v6Network(UInt64)
    /// A text that is no address counts as itself.
    case other(String)

    package init(_ address: IPAddress) {
        if address.bytes.count == 4 {
            self = .v4(address.bytes.reduce(0) { $0 << 8 | UInt32($1) })
        } else {
            self = .v6Network(address.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    package init(_ text: String) { self = IPAddress(text).map(Self.init) ?? .other(text) }

    /// `192.0.2.1` or `2001:db8:0:1::/64`.
    package var description: String {
        switch self {
        case .v4(let address):
            stride(from: 24, through: 0, by: -8).map { "\(address >> $0 & 0xFF)" }.joined(separator: ".")
        case .v6Network(let half):
            stride(from: 48, through: 0, by: -16).map { String(half >> $0 & 0xFFFF, radix: 16) }.joined(separator: ":")
                + "::/64"
        case .other(let text): text
        }
    }
}
