package import AuthorizationCore
package import Configuration
package import Primitives

/// Lists and lifts blocks of brute-force protection. Administrators' blocks of users stay.
package struct ManageUserBlocks: Sendable {
    package enum Subject: Sendable, Equatable {
        case user(UserID)
        /// An e-mail address, a username or a phone number. Attempts at a name without an account count alike.
        case identifier(String)
    }

    let store: any ConfigurationStore
    let hashing: any Hashing

    /// Current blocks, oldest first within each account. Omits blocks of addresses from before addresses were stored.
    package func blocks(of subject: Subject, in tenant: TenantID, now: Timestamp) async throws -> [UserBlock] {
        try await store.read { reader in
            try targets(of: subject, reader, tenant).flatMap { try blocks(at: $0, reader, tenant, now) }
        }
    }

    /// Deletes all failed attempts of the subject, blocked or not. Returns the lifted blocks.
    @discardableResult
    package func lift(_ subject: Subject, for context: AdministrativeContext) async throws -> [UserBlock] {
        try await store.change(for: context) { change in
            var lifted: [UserBlock] = []
            var names: [(id: String, user: UserID?)] = []
            for target in try targets(of: subject, change.reader, context.tenant) {
                lifted += try blocks(at: target, change.reader, context.tenant, context.now)
                let key = key(of: target)
                let forgotten =
                    if let id = target.user {
                        try change.user(id).orUnknown(.user).forgetAttempts(at: key)
                    } else {
                        try change.forgetAttempts(atUnknown: key)
                    }
                guard forgotten > 0 else { continue }
                let id = target.user?.rawValue ?? target.identifier
                if !names.contains(where: { $0.id == id }) { names.append((id, target.user)) }
            }
            for (id, user) in names { try change.record(.removed, .userBlock, id, user: user) }
            return lifted
        }
    }

    /// A secret that can be guessed.
    private struct Target {
        let secret: AttemptKey.Secret
        let account: String
        let identifier: String
        let connection: String
        let user: UserID?
    }

    private func key(of target: Target) -> AttemptKey {
        AttemptKey(target.secret, account: target.account, hashing: hashing)
    }

    private func targets(
        of subject: Subject, _ reader: any UserReader, _ tenant: TenantID
    ) throws -> [Target] {
        switch subject {
        case .user(let id): return Self.targets(of: try ManageUsers.record(of: id, reader, tenant).user)
        case .identifier(let text):
            let email = EmailAddress(parsing: text)?.description
            let users = try reader.users(identifier: email ?? text.lowercased(), in: tenant)
            var targets = try users.flatMap { id in
                Self.targets(of: try ManageUsers.record(of: id, reader, tenant).user)
            }
            let name = email ?? (users.isEmpty ? LoginName(parsing: text)?.description : nil)
            if let name, !targets.contains(where: { $0.secret == .password && $0.account == name }) {
                targets.append(
                    Target(
                        secret: .password, account: name, identifier: name,
                        connection: LoginConnection.defaultDatabaseName, user: nil))
            }
            return targets
        }
    }

    private static func targets(of user: User) -> [Target] {
        let email = user.email?.description
        let identifier = email ?? user.username ?? user.phoneNumber ?? user.id.rawValue
        func target(_ secret: AttemptKey.Secret, _ account: String) -> Target {
            Target(secret: secret, account: account, identifier: identifier, connection: user.connection, user: user.id)
        }
        // One-time passwords can be guessed even if the password is at a provider.
        let password = user.isOfDatabase ? target(.password, user.passwordSubject) : nil
        let factors: [AttemptKey.Secret] = [.oneTimePassword, .recoveryCode, .loginNumber, .reportedLogin]
        return [password].compactMap { $0 } + factors.map { target($0, user.id.rawValue) }
    }

    private func blocks(
        at target: Target, _ reader: any UserReader, _ tenant: TenantID, _ now: Timestamp
    ) throws -> [UserBlock] {
        guard let settings = try reader.tenant(tenant)?.settings.bruteForceProtection else { return [] }
        let counts = try reader.attempts(at: key(of: target), in: tenant, since: now - .seconds(settings.window))
        return counts.compactMap { count in
            let limit = count.address == nil ? settings.attemptsPerAccount : settings.attempts(at: target.secret)
            guard count.count >= limit else { return nil }
            return UserBlock(
                identifier: target.identifier, connection: target.connection, secret: target.secret,
                address: count.address)
        }
    }
}

/// A block of authentication attempts after too many failures.
package struct UserBlock: Sendable, Equatable {
    /// The account's e-mail address or, without one, another name.
    package let identifier: String
    /// Name of the account's connection.
    package let connection: String
    /// Passwords, one-time passwords, or answers of the phone.
    package let secret: AttemptKey.Secret
    /// The peer's address, or the last of a blocked IPv6 network. Nil blocks every address.
    package let address: String?
}

extension Managers {
    package var userBlocks: ManageUserBlocks { ManageUserBlocks(store: store, hashing: hashing) }
}
