import CCurl
import Glibc

extension CurlTransport.Configuration {
    /// Which addresses a transport may connect to, whatever a host name resolves to: a URL that others chose must not
    /// reach what only this machine can (server-side request forgery).
    public enum AddressPolicy: Sendable, Equatable {
        case any
        /// Those of the public Internet: not private, shared, link-local, loopback, multicast or reserved ones
        /// (the IANA special-purpose registries, RFC 6890).
        case publicOnly
        /// Those, and this machine's own.
        case publicOrLoopback

        /// Whether a connection to the address may be opened.
        func allows(_ address: UnsafePointer<sockaddr>) -> Bool {
            if self == .any { return true }
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                let bytes = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr
                return allows(v4: UInt32(bigEndian: bytes.s_addr))
            case AF_INET6:
                var bytes = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
                return withUnsafeBytes(of: &bytes) { allows(v6: Array($0)) }
            default: return false
            }
        }

        private struct Block {
            let start: UInt32
            let length: UInt32

            init(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ length: UInt32) {
                start = a << 24 | b << 16 | c << 8
                self.length = length
            }

            func contains(_ address: UInt32) -> Bool { address >> (32 - length) == start >> (32 - length) }
        }

        private static let specialV4 = [
            Block(0, 0, 0, 8), Block(10, 0, 0, 8), Block(100, 64, 0, 10), Block(127, 0, 0, 8), Block(169, 254, 0, 16),
            Block(172, 16, 0, 12), Block(192, 0, 0, 24), Block(192, 0, 2, 24), Block(192, 88, 99, 24),
            Block(192, 168, 0, 16), Block(198, 18, 0, 15), Block(198, 51, 100, 24), Block(203, 0, 113, 24),
            Block(224, 0, 0, 4), Block(240, 0, 0, 4),
        ]

        func allows(v4 address: UInt32) -> Bool {
            if self == .any { return true }
            if self == .publicOrLoopback, address >> 24 == 127 { return true }
            return !Self.specialV4.contains { $0.contains(address) }
        }

        /// `address` has 16 bytes.
        func allows(v6 address: [UInt8]) -> Bool {
            if self == .any { return true }
            if address.dropLast() == [UInt8](repeating: 0, count: 15)[...], address.last == 1 {
                return self == .publicOrLoopback
            }
            let last = address.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            // IPv4 in IPv6: mapped (RFC 4291 clause 2.5.5.2), and as a NAT64 translates it (RFC 6052).
            if address.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
                || address.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
            {
                return allows(v4: last)
            }
            // What is not global unicast is special, and so are of that: protocol assignments with Teredo,
            // documentation and 6to4.
            guard address[0] >> 5 == 0b001 else { return false }
            switch (address[0], address[1]) {
            case (0x20, 0x01): return address[2] > 1 && !(address[2] == 0x0D && address[3] == 0xB8)
            case (0x20, 0x02): return false
            case (0x3F, 0xFF): return address[2] > 0x0F
            default: return true
            }
        }
    }
}
