package import Primitives

/// Claims of a receipt: a JWS of the tenant that states a decision, with its evidence (docs/receipts.md).
package struct ReceiptClaims: Sendable, Equatable {
    /// `typ` of the JWS.
    package static let type = "approval-receipt+jwt"
    package static let mediaType = "application/\(type)"
    /// Maximum bytes of a receipt.
    package static let limit = 1 << 20

    /// Place of the decision in the server's audit log. Each is a number, `:` and a hash in hexadecimal digits. If the log
    /// has several lanes, the number of the lane and `.` stand before it.
    package struct AuditPlace: Sendable, Equatable {
        /// The decision's entry.
        package let entry: String
        /// The last entry of the same lane when the receipt was made.
        package let head: String

        package init(entry: String, head: String) {
            self.entry = entry
            self.head = head
        }

        /// True if both can be places of one lane: the head is the entry, or comes after it.
        var isPossible: Bool {
            guard let (entryLane, entryNumber, entryHash) = Self.parts(entry),
                let (headLane, headNumber, headHash) = Self.parts(head), entryLane == headLane
            else { return false }
            return entryNumber < headNumber || entryNumber == headNumber && entryHash == headHash
        }

        private static func parts(_ text: String) -> (lane: Int64, number: Int64, hash: [UInt8])? {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let hash = Hex.decode(parts[1]), hash.count == Digest256.size,
                Hex.encode(hash) == parts[1]
            else { return nil }
            let place = parts[0].split(separator: ".", omittingEmptySubsequences: false)
            let numbers = place.compactMap { text in Int64(text).flatMap { $0 > 0 && String($0) == text ? $0 : nil } }
            guard numbers.count == place.count, numbers.count <= 2, let number = numbers.last else { return nil }
            return (numbers.count == 2 ? numbers[0] : 0, number, hash)
        }
    }

    /// Time at which the receipt was made.
    package let issuedAt: Timestamp
    package let evidence: ApprovalEvidence
    package let digest: RequestDigest
    package let audit: AuditPlace

    package init(issuedAt: Timestamp, evidence: ApprovalEvidence, digest: RequestDigest, audit: AuditPlace) {
        self.issuedAt = issuedAt
        self.evidence = evidence
        self.digest = digest
        self.audit = audit
    }

    /// Reads the claims, and checks that `iss`, `sub`, `aud` and `id` are the record's.
    package init(parsing payload: [UInt8]) throws(ApprovalFailure) {
        let members = try ApprovalMembers(parsing: payload, path: "receipt")
        issuedAt = try members.seconds("iat")
        evidence = try ApprovalEvidence(members)
        guard let digest = RequestDigest(try members.string("request_digest")) else {
            throw .invalid(members.name("request_digest"), expected: "32 bytes in base64url")
        }
        self.digest = digest
        let audit = try members.members("audit")
        self.audit = AuditPlace(entry: try audit.string("entry"), head: try audit.string("head"))
        let record = evidence.record
        for (name, expected) in [
            ("iss", record.issuer), ("sub", record.user), ("aud", record.client.id), ("id", record.id),
        ] {
            guard try members.string(name).hasSameBytes(as: expected) else { throw .disagrees(members.name(name)) }
        }
    }

    /// The payload of the JWS.
    package var payload: [UInt8] {
        JSONWriter.object(capacity: 4096) { writer in
            writer.member("iss", evidence.record.issuer)
            writer.member("sub", evidence.record.user)
            writer.member("aud", evidence.record.client.id)
            writer.member("iat", issuedAt.seconds)
            writer.member("id", evidence.record.id)
            evidence.write(to: &writer)
            writer.member("request_digest", digest.description)
            writer.member("audit") { writer in
                writer.member("entry", audit.entry)
                writer.member("head", audit.head)
            }
        }
    }
}
