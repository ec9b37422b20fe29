import Glibc

/// Addresses of this machine in its networks.
package enum NetworkAddresses {
    /// IPv4 addresses of interfaces that are up, without the loopback. Those of virtual networks are among them.
    package static var own: [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: [String] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr,
                address.pointee.sa_family == sa_family_t(AF_INET), entry.ifa_flags & UInt32(IFF_UP) != 0,
                entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
            let isWritten = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                inet_ntop(AF_INET, &address.pointee.sin_addr, &text, socklen_t(text.count)) != nil
            }
            guard isWritten else { continue }
            let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if !addresses.contains(name) { addresses.append(name) }
        }
        return addresses
    }
}
