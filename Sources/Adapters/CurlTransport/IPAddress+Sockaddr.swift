import CCurl
import Glibc
import Primitives

extension IPAddress {
    /// Nil for other address families than IPv4 and IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            var bytes = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(bytes: withUnsafeBytes(of: &bytes) { Array($0) })
        case AF_INET6:
            var bytes = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(bytes: withUnsafeBytes(of: &bytes) { Array($0) })
        default: return nil
        }
    }
}
