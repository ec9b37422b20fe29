public import AuthorizationCore
public import Primitives

/// Ids, as Auth0 has them, of objects that have names which cannot change. They follow from tenant and name, so an
/// object has the same id whoever made it, and however often.
public struct ObjectIDs: Sendable {
    private let hashing: any Hashing

    public init(hashing: any Hashing) { self.hashing = hashing }

    /// 24 hexadecimal digits.
    public func resourceServer(_ identifier: String, of tenant: TenantID) -> String {
        Hex.encode(hash("resource_server", tenant, identifier))
    }

    /// `cgr_` and 16 characters.
    public func clientGrant(_ grant: ClientGrant, of client: ClientID, in tenant: TenantID) -> String {
        let subject = grant.subject?.rawValue ?? ""
        return "cgr_" + Base64URL.encode(hash("client_grant", tenant, "\(client)\n\(subject)\n\(grant.audience)"))
    }

    /// `con_` and 16 characters.
    public func connection(_ name: String, of tenant: TenantID) -> String {
        "con_" + Base64URL.encode(hash("connection", tenant, name))
    }

    private func hash(_ kind: String, _ tenant: TenantID, _ name: String) -> [UInt8] {
        Array(hashing.sha256(Array("\(kind)\n\(tenant)\n\(name)".utf8)).prefix(12))
    }
}
