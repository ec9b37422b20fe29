package import Audit
package import AuthorizationCore
package import Primitives

/// A login as the store keeps it between requests.
package struct StoredLogin: Sendable, Equatable {
    package enum Goal: Sendable, Equatable {
        case client(ClientID)
        case page(OwnPage)
    }

    /// SHA-256 of the id in the pages' addresses.
    package let hash: [UInt8]
    package let tenant: TenantID
    package let goal: Goal
    /// SHA-256 of the binding cookie. No other browser may go on with the login (RFC 9700 clause 4.7).
    package let browserHash: [UInt8]
    /// The request's parameters as a form. They were checked when the request came.
    package let parameters: String
    /// JSON of `AuthorizationProgress`.
    package var progress: JSONValue
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// Number of changes. The store refuses one of two changes at once by it.
    package internal(set) var revision: Int

    package init(
        hash: [UInt8], tenant: TenantID, goal: Goal, browserHash: [UInt8], parameters: String,
        progress: JSONValue, createdAt: Timestamp, expiresAt: Timestamp, revision: Int = 0
    ) {
        self.hash = hash
        self.tenant = tenant
        self.goal = goal
        self.browserHash = browserHash
        self.parameters = parameters
        self.progress = progress
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revision = revision
    }
}

/// Store port for logins that are under way.
package protocol LoginStore: Sendable {
    /// Nil if the login ended or expired.
    func transaction(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> StoredLogin?

    /// Stores `progress` and increments the revision. False, with nothing changed, if the login ended or the stored
    /// revision is not the one of `transaction`.
    func update(_ transaction: StoredLogin) async throws -> Bool

    /// Ends a login whose session is all that was asked for. False if it had ended already, or is at another revision.
    func finish(_ transaction: StoredLogin) async throws -> Bool

    /// Ends a login without a code. False if it had ended already.
    func abandon(_ hash: [UInt8], tenant: TenantID, event: AuditEvent) async throws -> Bool
}

extension LoginStore {
    /// Stores the progress. Two tabs at once: one is refused.
    func keep(_ transaction: inout LoginTransaction) async throws {
        transaction.stored.progress = transaction.progress.json
        guard try await update(transaction.stored) else { throw AuthorizationPageFailure.superseded }
        transaction.stored.revision += 1
    }
}
