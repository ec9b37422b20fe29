import Glibc

/// Finds a currently unused TCP port of the loopback address.
package func freePort() throws(Failure) -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure("socket", errno: errno) }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
        }
    }
    guard result == 0 else { throw Failure("cannot find a free port", errno: errno) }
    return UInt16(bigEndian: address.sin_port)
}
