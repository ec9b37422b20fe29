package import JOSE
package import Primitives

/// The last archived entry of the audit log, signed by this installation. The rest of the chain begins after it.
package struct ArchivedHead: Sendable, Equatable {
    private static let type = "countersign-audit-archive+jwt"

    package let head: AuditHead
    /// A JWS (RFC 7515) over the head and the time.
    package let statement: String
    package let publicKey: JWK

    package init(head: AuditHead, statement: String, publicKey: JWK) {
        self.head = head
        self.statement = statement
        self.publicKey = publicKey
    }

    package init(signing head: AuditHead, at now: Timestamp, with signer: any Signer) throws {
        let claims: JSONValue = ["head": .string(head.description), "archived_at": .string(now.iso8601)]
        self.init(
            head: head,
            statement: try JWS.sign(JSONWriter.bytes(claims), type: Self.type, with: signer),
            publicKey: signer.publicKey)
    }

    /// True if the statement is about this head and signed by `publicKey`.
    package func isSigned(_ verifier: some Verifier) -> Bool {
        guard let statement = try? JWS(parsing: statement), statement.type == Self.type,
            let payload = try? statement.verified(by: publicKey, allowed: [.edDSA], using: verifier),
            let claims = try? JSONReader.parse(payload)
        else { return false }
        return claims["head"] == .string(head.description)
    }

    /// Thumbprint of the key (RFC 7638), to tell it from other keys.
    package func thumbprint(_ hashing: some Hashing) -> String { Base64URL.encode(publicKey.thumbprint(hashing)) }
}

/// The last entry of an audit log at some moment. Noted elsewhere, it proves later that no earlier entry changed.
/// Written as `SEQUENCE:HASH`, the hash in hexadecimal digits.
package struct AuditHead: Sendable, Equatable, LosslessStringConvertible {
    package let sequence: Int64
    package let hash: Digest256

    package init(sequence: Int64, hash: Digest256) {
        self.sequence = sequence
        self.hash = hash
    }

    package init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = Int64(parts[0]), sequence > 0,
            let hash = Hex.decode(String(parts[1])), hash.count == Digest256.size
        else { return nil }
        self.init(sequence: sequence, hash: Digest256(hash))
    }

    package var description: String { "\(sequence):\(Hex.encode(hash.bytes))" }
}
