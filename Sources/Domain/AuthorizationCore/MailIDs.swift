package import Primitives

/// Left sides of `Message-ID`. An id has the entry's number, the second of its creation, and a MAC over both, the tenant and
/// the recipient. It is the same at every try, and it proves that this server sent the mail to that address.
package struct MailIDs: Sendable {
    private let key: SecretBytes
    private let hashing: any Hashing

    package init(key: SecretBytes, hashing: any Hashing) {
        self.key = key
        self.hashing = hashing
    }

    /// Letters and digits.
    package func id(of entry: Int64, at creation: Timestamp, to address: String, tenant: TenantID) -> String {
        let seconds = creation.seconds
        return "\(entry)x\(seconds)x\(Hex.encode(mac(entry, seconds, address, tenant)))"
    }

    /// Entry of the mail, and the time at which it was created. Nil unless this server made the id for the address.
    package func origin(
        of id: String, to address: String, tenant: TenantID
    ) -> (entry: Int64, createdAt: Timestamp)? {
        let parts = id.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 3, let entry = Int64(parts[0]), let seconds = Int64(parts[1]),
            let bytes = Hex.decode(String(parts[2])),
            constantTimeEquals(bytes, mac(entry, seconds, address, tenant))
        else { return nil }
        return (entry, Timestamp(seconds: seconds))
    }

    private func mac(_ entry: Int64, _ seconds: Int64, _ address: String, _ tenant: TenantID) -> [UInt8] {
        let message = "\(entry) \(seconds) \(tenant.rawValue.utf8.count) \(tenant)\(address.lowercased())"
        return Array(hashing.hmac(.sha256, key: key.bytes, Array(message.utf8)).prefix(16))
    }
}
