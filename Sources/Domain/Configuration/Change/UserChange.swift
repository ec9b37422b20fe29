package import Audit
package import AuthorizationCore
package import Primitives

/// Another process has done the part of the job. Undoes the change.
package struct JobMoved: Error {
    package init() {}
}

/// One change of users, written and audited in one transaction. An ``AdministeredUser`` writes what is of a single user.
package struct UserChange {
    private let transaction: any UserTransaction
    package let context: AdministrativeContext

    init(_ transaction: any UserTransaction, for context: AdministrativeContext) {
        self.transaction = transaction
        self.context = context
    }

    package var tenant: TenantID { context.tenant }
    package var now: Timestamp { context.now }
    package var reader: any UserReader { transaction }

    /// The user, if the administrator may do all that the user may do. Otherwise throws
    /// `AdministrationFailure.beyondOwnScopes`. Nil means unknown.
    package func user(_ id: UserID) throws -> AdministeredUser? {
        guard let (user, hash) = try transaction.user(id, in: tenant) else { return nil }
        return try AdministeredUser(user, hash, transaction, context)
    }

    /// Creates a user, whose id must be free.
    package func create(_ user: User, passwordHash: String?) throws -> AdministeredUser {
        let created = try AdministeredUser(user, passwordHash, transaction, context)
        try created.put(user, passwordHash: passwordHash)
        return created
    }

    // MARK: objects with ids of their own

    /// The device with its user. Nil means unknown.
    package func device(_ id: DeviceID) throws -> (record: DeviceRecord, user: AdministeredUser)? {
        guard let record = try transaction.device(id, in: tenant), let user = try user(record.device.user) else {
            return nil
        }
        return (record, user)
    }

    /// The user of an active session. Nil means unknown.
    package func user(of session: SessionID) throws -> AdministeredUser? {
        try transaction.session(session, in: tenant, now: now).flatMap { try user($0.session.authentication.user) }
    }

    /// False if there is no such key.
    package func remove(deviceCredential id: String) throws -> UserID? {
        guard let owner = try transaction.remove(deviceCredential: id, from: tenant) else { return nil }
        // A refusal undoes the removal with the transaction.
        _ = try user(owner)
        return owner
    }

    /// Revokes a client's refresh tokens, of all users, by every property of the filter but its user and ids.
    package func removeRefreshTokens(
        of client: ClientID, _ filter: RefreshTokenFilter, tokensExpireAt: Timestamp
    ) throws -> [AuthorizationID] {
        var filter = filter
        filter.client = client
        filter.user = nil
        filter.ids = nil
        return try transaction.removeRefreshTokens(filter, from: tenant, tokensExpireAt: tokensExpireAt)
    }

    /// Deletes the failed attempts at an address without an account. Returns the number of counts.
    package func forgetAttempts(atUnknown account: AttemptKey) throws -> Int {
        try transaction.forgetAttempts(at: account, in: tenant)
    }

    // MARK: jobs

    /// As ``UserTransaction/add(_:parts:limit:)``. Throws ``AdministrationFailure/tooManyJobs(limit:)`` beyond the limit.
    package func add(_ job: UserJob, parts: [[UInt8]], limit: Int) throws {
        guard try transaction.add(job, parts: parts, limit: limit) else {
            throw AdministrationFailure.tooManyJobs(limit: limit)
        }
    }

    /// As ``UserTransaction/advance(_:from:adding:errors:)``. Throws ``JobMoved`` if another process has done the part.
    package func advance(
        _ job: UserJob, from place: Int, adding parts: [Int: [UInt8]] = [:], errors: [UserJobError] = []
    ) throws {
        guard try transaction.advance(job, from: place, adding: parts, errors: errors) else { throw JobMoved() }
    }

    package func enqueue(_ mail: SealedMail) throws { try transaction.enqueue(mail) }

    // MARK: log

    /// Appends to the audit log. `fields` are names of changed fields, never values.
    package func record(
        _ action: ConfigurationChange.Action, _ kind: ObjectKind, _ id: String, fields: [String] = [],
        user: UserID? = nil
    ) throws {
        try record(context.event(action, AuditEvent.Object(kind.rawValue, id), fields: fields, user: user))
    }

    package func record(_ event: AuditEvent) throws { try transaction.record(event) }
}
