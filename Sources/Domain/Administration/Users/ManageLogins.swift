package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages users' sessions and refresh tokens.
package struct ManageLogins: Sendable {
    let store: any ConfigurationStore

    // MARK: sessions

    package func sessions(of user: UserID, in tenant: TenantID, now: Timestamp) async throws -> [SessionRecord] {
        try await store.read { reader in
            _ = try ManageUsers.record(of: user, reader, tenant)
            return try reader.sessions(of: user, in: tenant, now: now)
        }
    }

    package func session(_ id: SessionID, in tenant: TenantID, now: Timestamp) async throws -> SessionRecord {
        try await store.read { try $0.session(id, in: tenant, now: now) }.orUnknown(.session)
    }

    /// Optionally with its refresh tokens. Does nothing if the session does not exist.
    package func end(
        _ id: SessionID, withRefreshTokens: Bool = false, for context: AdministrativeContext
    ) async throws {
        try await store.change(for: context) { change in
            guard let user = try change.user(of: id), try user.end(session: id) else { return }
            if withRefreshTokens { try Self.remove(RefreshTokenFilter(session: id), of: user, change) }
            try change.record(.removed, .session, id.rawValue, user: user.id)
        }
    }

    package func endSessions(of user: UserID, for context: AdministrativeContext) async throws {
        try await store.change(for: context) { change in
            try Self.endSessions(of: change.user(user).orUnknown(.user), change)
        }
    }

    /// Ends the user's sessions and, unless preserved, refresh tokens with the access tokens of the same
    /// authorizations. Always deletes unfinished logins, codes and approved requests. Non-nil `session` limits all this
    /// to one session.
    package func revokeAccess(
        of user: UserID, session: SessionID?, preservesRefreshTokens: Bool, for context: AdministrativeContext
    ) async throws {
        try await store.change(for: context) { change in
            let person = try change.user(user).orUnknown(.user)
            if let session {
                guard try person.end(session: session) else { throw AdministrationFailure.unknown(.session) }
                try change.record(.removed, .session, session.rawValue, user: user)
            } else {
                try Self.endSessions(of: person, change)
            }
            try person.endUnfinished(session: session)
            guard !preservesRefreshTokens else { return }
            try Self.remove(RefreshTokenFilter(session: session), of: person, change)
            try person.endTokens(session: session)
        }
    }

    private static func endSessions(of user: AdministeredUser, _ change: UserChange) throws {
        for record in try change.reader.sessions(of: user.id, in: change.tenant, now: change.now) {
            let id = record.session.id
            guard try user.end(session: id) else { continue }
            try change.record(.removed, .session, id.rawValue, user: user.id)
        }
    }

    // MARK: refresh tokens

    package func refreshTokens(
        of user: UserID, in tenant: TenantID, now: Timestamp
    ) async throws -> [RefreshTokenRecord] {
        try await store.read { reader in
            _ = try ManageUsers.record(of: user, reader, tenant)
            return try reader.refreshTokens(RefreshTokenFilter(user: user), in: tenant, limit: nil, now: now)
        }
    }

    package func refreshToken(
        _ id: AuthorizationID, in tenant: TenantID, now: Timestamp
    ) async throws -> RefreshTokenRecord {
        try await store.read { try Self.refreshToken(id, $0, tenant, now) }
    }

    /// Replaces applications' metadata.
    package func put(
        metadata: JSONObject, ofRefreshToken id: AuthorizationID, for context: AdministrativeContext
    ) async throws -> RefreshTokenRecord {
        try await store.change(for: context) { change in
            let old = try Self.refreshToken(id, change.reader, context.tenant, context.now)
            if old.metadata != metadata {
                guard let user = try change.user(old.family.access.user),
                    try user.put(metadata: metadata, ofRefreshToken: id)
                else { throw AdministrationFailure.unknown(.refreshToken) }
                try change.record(
                    .changed, .refreshToken, id.rawValue, fields: ["refresh_token_metadata"],
                    user: old.family.access.user)
            }
            return try Self.refreshToken(id, change.reader, context.tenant, context.now)
        }
    }

    /// Revokes matching refresh tokens, with the access tokens of the same authorizations. Needs tokens, a user or a
    /// client.
    package func revoke(_ filter: RefreshTokenFilter, for context: AdministrativeContext) async throws {
        guard filter.ids != nil || filter.user != nil || filter.client != nil else {
            throw AdministrationFailure.invalid("ids", "is required, unless there is a user_id or a client_id")
        }
        try await store.change(for: context) { change in
            if let user = filter.user {
                return try Self.remove(filter, of: change.user(user).orUnknown(.user), change)
            }
            if filter.ids != nil {
                let tokens = try change.reader.refreshTokens(filter, in: context.tenant, limit: nil, now: context.now)
                for user in Set(tokens.map(\.family.access.user)) {
                    try Self.remove(filter, of: change.user(user).orUnknown(.user), change)
                }
            } else if let client = filter.client {
                let removed = try change.removeRefreshTokens(
                    of: client, filter, tokensExpireAt: Self.latestExpiry(change))
                try Self.record(removed, of: nil, change)
            }
        }
    }

    private static func remove(
        _ filter: RefreshTokenFilter, of user: AdministeredUser, _ change: UserChange
    ) throws {
        let removed = try user.removeRefreshTokens(filter, tokensExpireAt: latestExpiry(change))
        try record(removed, of: user.id, change)
    }

    private static func latestExpiry(_ change: UserChange) -> Timestamp {
        change.now + .seconds(ResourceServer.maximumTokenLifetime)
    }

    private static func record(_ removed: [AuthorizationID], of user: UserID?, _ change: UserChange) throws {
        for id in removed { try change.record(.removed, .refreshToken, id.rawValue, user: user) }
    }

    private static func refreshToken(
        _ id: AuthorizationID, _ reader: any UserReader, _ tenant: TenantID, _ now: Timestamp
    ) throws -> RefreshTokenRecord {
        try reader.refreshTokens(RefreshTokenFilter(ids: [id]), in: tenant, limit: nil, now: now).first
            .orUnknown(.refreshToken)
    }
}

extension Managers {
    package var logins: ManageLogins { ManageLogins(store: store) }
}
