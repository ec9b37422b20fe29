package import JOSE
package import Primitives

/// The heads of all lanes at one moment, signed by this installation, and chained to the tree head before. It binds the
/// lanes together: each of their entries came before every entry beyond these heads.
package struct AuditTreeHead: Sendable, Equatable {
    private static let type = "countersign-audit-tree+jwt"
    /// Maximum bytes of a statement, which has about 100 for each lane.
    package static let limit = 1 << 20

    /// A tree head's number, and the SHA-256 of its statement. Noted elsewhere, it proves every entry that the tree head
    /// covers. Written as `NUMBER:HASH`.
    package struct ID: Sendable, Equatable, LosslessStringConvertible {
        package let number: Int64
        package let hash: Digest256

        package init(number: Int64, hash: Digest256) {
            self.number = number
            self.hash = hash
        }

        package init?(_ description: String) {
            guard let head = AuditHead(description), head.place.lane == 0 else { return nil }
            self.init(number: head.place.number, hash: head.hash)
        }

        package var description: String { AuditHead(place: AuditPlace(lane: 0, number), hash: hash).description }
    }

    package let id: ID
    package let at: Timestamp
    package let heads: AuditHeads
    /// Nil for the first one.
    package let previous: ID?
    /// A JWS (RFC 7515) over all of this, with its key in the header (clause 4.1.3).
    package let statement: String
    package let publicKey: JWK

    package init(
        signing heads: AuditHeads, after previous: ID?, at now: Timestamp, with signer: any Signer,
        _ hashing: some Hashing
    ) throws {
        let number = (previous?.number ?? 0) + 1
        var claims: JSONObject = [
            "number": .number(JSONNumber(number)), "at": .string(now.iso8601), "heads": .string(heads.description),
        ]
        claims["previous"] = previous.map { .string($0.description) }
        statement = try JWS.sign(
            JSONWriter.bytes(.object(claims)), type: Self.type, extra: ["jwk": signer.publicKey.json], with: signer)
        id = ID(number: number, hash: Digest256(hashing.sha256(Array(statement.utf8))))
        (self.heads, self.previous, at, publicKey) = (heads, previous, now, signer.publicKey)
    }

    /// Reads a statement whose signature was not verified. Nil if it is not one.
    package init?(_ statement: String, _ hashing: some Hashing) {
        guard let signed = try? JWS(parsing: statement, limit: Self.limit), signed.type == Self.type,
            let key = signed.header["jwk"].flatMap({ try? JWK($0) }), let claims = signed.unverifiedClaims,
            let number = claims["number"]?.intValue, number > 0,
            let at = claims["at"]?.stringValue.flatMap({ Timestamp(iso8601: $0) }),
            let heads = claims["heads"]?.stringValue.flatMap({ AuditHeads($0) })
        else { return nil }
        let previous = claims["previous"]?.stringValue.flatMap { ID($0) }
        guard previous?.number ?? 0 == Int64(number) - 1 else { return nil }
        self.statement = statement
        id = ID(number: Int64(number), hash: Digest256(hashing.sha256(Array(statement.utf8))))
        (self.heads, self.previous, self.at, publicKey) = (heads, previous, at, key)
    }

    /// True if the key that the statement names signed it. Tree heads before it are proven by its hash of them.
    package func isSigned(_ verifier: some Verifier) -> Bool {
        let signed = try? JWS(parsing: statement, limit: Self.limit)
        return (try? signed?.verified(by: publicKey, allowed: [.edDSA], using: verifier)) != nil
    }

    /// Thumbprint of the key (RFC 7638).
    package func thumbprint(_ hashing: some Hashing) -> String { Base64URL.encode(publicKey.thumbprint(hashing)) }
}

/// An unverified tree head, which may have been altered.
package struct StoredTreeHead: Sendable {
    package let number: Int64
    package let statement: String

    package init(number: Int64, statement: String) {
        self.number = number
        self.statement = statement
    }
}
