import Glibc
import Testing

enum FreePort {
    /// A port that nobody listens on now.
    static func find() throws -> UInt16 {
        let isFree = { (port: UInt16) in
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            address.sin_port = port.bigEndian
            return withUnsafeBytes(of: &address) { bytes in
                guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
                return bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        // Below the range from which the system chooses ports for the servers of other tests meanwhile.
        return try #require((20_000..<30_000).shuffled().first(where: isFree))
    }
}
