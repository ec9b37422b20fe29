/// True for a URL's host that always is this machine: `localhost` (RFC 6761 clause 6.3), 127.0.0.0/8 and ::1, with or
/// without brackets. Plain HTTP to it crosses no network.
package func isLoopbackHost(_ host: some StringProtocol) -> Bool {
    if host.lowercased() == "localhost" { return true }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    guard let address = IPAddress(isBracketed ? String(host.dropFirst().dropLast()) : String(host)) else {
        return false
    }
    if address.bytes.count == 4 { return !isBracketed && address.bytes[0] == 127 }
    return address.bytes.dropLast().allSatisfy { $0 == 0 } && address.bytes.last == 1
}
