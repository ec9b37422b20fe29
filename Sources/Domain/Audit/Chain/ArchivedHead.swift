package import JOSE
package import Primitives

/// The last archived entry of each lane of the audit log, signed by this installation. The rest of the chains begins after
/// them.
package struct ArchivedHead: Sendable, Equatable {
    private static let type = "countersign-audit-archive+jwt"

    package let heads: AuditHeads
    /// The last tree head that left with the entries. The rest of them begins after it. Nil if none did.
    package let treeHead: AuditTreeHead.ID?
    /// A JWS (RFC 7515) over both and the time.
    package let statement: String
    package let publicKey: JWK

    package init(heads: AuditHeads, treeHead: AuditTreeHead.ID?, statement: String, publicKey: JWK) {
        self.heads = heads
        self.treeHead = treeHead
        self.statement = statement
        self.publicKey = publicKey
    }

    package init(
        signing heads: AuditHeads, treeHead: AuditTreeHead.ID? = nil, at now: Timestamp, with signer: any Signer
    ) throws {
        var claims: JSONObject = ["head": .string(heads.description), "archived_at": .string(now.iso8601)]
        claims["tree_head"] = treeHead.map { .string($0.description) }
        self.init(
            heads: heads, treeHead: treeHead,
            statement: try JWS.sign(JSONWriter.bytes(.object(claims)), type: Self.type, with: signer),
            publicKey: signer.publicKey)
    }

    /// True if the statement is about these heads and signed by `publicKey`.
    package func isSigned(_ verifier: some Verifier) -> Bool {
        guard let statement = try? JWS(parsing: statement, limit: AuditTreeHead.limit), statement.type == Self.type,
            let payload = try? statement.verified(by: publicKey, allowed: [.edDSA], using: verifier),
            let claims = try? JSONReader.parse(payload)
        else { return false }
        return claims["head"] == .string(heads.description)
            && claims["tree_head"] == treeHead.map { .string($0.description) }
    }

    /// Thumbprint of the key (RFC 7638), to tell it from other keys.
    package func thumbprint(_ hashing: some Hashing) -> String { Base64URL.encode(publicKey.thumbprint(hashing)) }
}
