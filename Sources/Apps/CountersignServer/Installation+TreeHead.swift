package import Audit
import OpenSSLCrypto
import Persistence
package import Primitives

/// The log, or its tree heads, lack what this installation signed. Signing what is left would hide that.
package struct LostTreeHead: Error, CustomStringConvertible {
    package let description: String
}

extension Installation {
    /// Time between two tree heads.
    static let treeHeadInterval = Duration.seconds(60)

    /// Signs the heads of all lanes. Nil if no entry was added since the last tree head, or if another node has just
    /// signed one.
    /// - Parameter known: The last tree head that this process saw.
    /// - Throws: `LostTreeHead` if the log does not have what the last tree head covers.
    package func signTreeHead(after known: AuditTreeHead.ID?, now: Timestamp) async throws -> AuditTreeHead? {
        let hashing = OpenSSLHashing()
        let end = try await store.auditLogEnd()
        let last = try end.treeHead.map { stored in
            guard let last = AuditTreeHead(stored.statement, hashing), last.id.number == stored.number,
                last.isSigned(OpenSSLVerifier())
            else { throw LostTreeHead(description: "tree head \(stored.number) was altered") }
            return last
        }
        let previous = last?.id ?? end.archivedTreeHead
        if let known, previous.map({ $0.number < known.number || $0.number == known.number && $0 != known }) ?? true {
            throw LostTreeHead(description: "tree head \(known) is gone")
        }
        if let last {
            // Half the interval, because nodes do not wait for each other.
            if last.at <= now, now - last.at < Self.treeHeadInterval / 2 { return nil }
            if let lost = try await store.firstLost(of: last.heads) {
                throw LostTreeHead(description: "entry \(lost) of tree head \(last.id.number) is gone")
            }
            guard end.heads != last.heads, end.heads.continues(last.heads) else { return nil }
        }
        guard end.heads != AuditHeads() else { return nil }
        let made = try AuditTreeHead(
            signing: end.heads, after: previous, at: now, with: try await auditSigner(), hashing)
        return try await store.keep(made) ? made : nil
    }
}
