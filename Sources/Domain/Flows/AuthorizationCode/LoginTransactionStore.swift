package import Audit
package import AuthorizationCore
package import Primitives

/// An authorization request while its user logs in and consents.
package struct StoredLogin: Sendable, Equatable {
    /// SHA-256 of the id in the pages' addresses.
    package let hash: [UInt8]
    package let tenant: TenantID
    package let client: ClientID
    /// SHA-256 of the cookie of the browser it began in: no other may go on with it (RFC 9700 clause 4.7).
    package let browserHash: [UInt8]
    /// The request's parameters as a form, checked before.
    package let parameters: String
    /// How far it is, as JSON of `AuthorizationProgress`.
    package var progress: JSONValue
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// Counts its changes, so that of two at once one is refused.
    package let revision: Int

    package init(
        hash: [UInt8], tenant: TenantID, client: ClientID, browserHash: [UInt8], parameters: String,
        progress: JSONValue, createdAt: Timestamp, expiresAt: Timestamp, revision: Int = 0
    ) {
        self.hash = hash
        self.tenant = tenant
        self.client = client
        self.browserHash = browserHash
        self.parameters = parameters
        self.progress = progress
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revision = revision
    }
}

/// What the authorization endpoint and the pages behind it need of a store.
package protocol LoginTransactionStore: Sendable {
    func create(_ transaction: StoredLogin) async throws

    /// Nil where it is gone or has expired.
    func transaction(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> StoredLogin?

    /// Stores `progress` and counts the revision up. False where the stored revision is not the one of `transaction`,
    /// or it is gone: then nothing was changed.
    func update(_ transaction: StoredLogin) async throws -> Bool

    /// Ends a transaction, or, without one, answers a request at once: keeps the code, what was consented, the
    /// session's use and the event, in one transaction. False where the transaction is at another revision or had
    /// ended, or the session had: then nothing was stored.
    func complete(_ completion: AuthorizationCompletion) async throws -> Bool

    /// Replaces a code that was not redeemed by another, with the same end, and the cookie of its session by the one
    /// with the hash `session`, unless that is nil. False where it was redeemed, has expired, or the session that it
    /// belongs to has ended: then nothing was changed.
    func renewCode(
        _ hash: [UInt8], as newHash: [UInt8], session: [UInt8]?, tenant: TenantID, now: Timestamp
    ) async throws -> Bool

    /// Ends a transaction without a code. False where it had ended already.
    func abandon(_ hash: [UInt8], tenant: TenantID, event: AuditEvent) async throws -> Bool

    /// Keeps a pushed request (RFC 9126) until `expiresAt`.
    func push(_ request: PushedAuthorizationRequest) async throws

    /// Takes a pushed request out: a second call finds nothing. Nil where it is another client's, too.
    func takePushed(_ hash: [UInt8], client: ClientID, tenant: TenantID, now: Timestamp) async throws -> String?
}

package struct AuthorizationCompletion: Sendable {
    /// The transaction that ends, with its revision; nil where the request was answered without pages.
    package let transaction: (hash: [UInt8], revision: Int)?
    package let code: AuthorizationCode
    /// Adds to what the user had consented to.
    package let consent: ConsentGrant?
    /// The browser's session, whose idle end moves and which now has this client.
    package let session: SessionUse
    package let event: AuditEvent

    package init(
        transaction: (hash: [UInt8], revision: Int)?, code: AuthorizationCode, consent: ConsentGrant?,
        session: SessionUse, event: AuditEvent
    ) {
        self.transaction = transaction
        self.code = code
        self.consent = consent
        self.session = session
        self.event = event
    }
}

/// A pushed authorization request (RFC 9126 clause 2).
package struct PushedAuthorizationRequest: Sendable, Equatable {
    /// SHA-256 of the random part of the `request_uri`.
    package let hash: [UInt8]
    package let tenant: TenantID
    package let client: ClientID
    /// The request's parameters as a form, checked before.
    package let parameters: String
    package let expiresAt: Timestamp

    package init(hash: [UInt8], tenant: TenantID, client: ClientID, parameters: String, expiresAt: Timestamp) {
        self.hash = hash
        self.tenant = tenant
        self.client = client
        self.parameters = parameters
        self.expiresAt = expiresAt
    }
}
