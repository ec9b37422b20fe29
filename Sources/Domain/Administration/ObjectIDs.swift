package import AuthorizationCore
package import Primitives

/// Ids in Auth0's format for objects with fixed names. Each id is derived from tenant and name, so recreating an object
/// gives the same id.
package struct ObjectIDs: Sendable {
    private let hashing: any Hashing

    package init(hashing: any Hashing) { self.hashing = hashing }

    /// 24 hexadecimal digits.
    package func resourceServer(_ identifier: String, of tenant: TenantID) -> String {
        Hex.encode(hash("resource_server", tenant, identifier))
    }

    /// `cgr_` and 16 letters and digits.
    package func clientGrant(_ grant: ClientGrant, of client: ClientID, in tenant: TenantID) -> String {
        let subject = grant.subject?.rawValue ?? ""
        return "cgr_" + word("client_grant", tenant, "\(client)\n\(subject)\n\(grant.audience)")
    }

    /// `con_` and 16 letters and digits.
    package func connection(_ name: String, of tenant: TenantID) -> String { "con_" + word("connection", tenant, name) }

    private func hash(_ kind: String, _ tenant: TenantID, _ name: String) -> [UInt8] {
        Array(hashing.sha256(Array("\(kind)\n\(tenant)\n\(name)".utf8)).prefix(12))
    }

    /// Twelve bytes in base 62, to 16 digits (95 bits), because programs split ids at other characters.
    private func word(_ kind: String, _ tenant: TenantID, _ name: String) -> String {
        let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        var number = hash(kind, tenant, name)
        let digits = (0..<16).map { _ in
            var rest = 0
            for index in number.indices {
                let part = rest << 8 | Int(number[index])
                number[index] = UInt8(part / letters.count)
                rest = part % letters.count
            }
            return letters[rest]
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
