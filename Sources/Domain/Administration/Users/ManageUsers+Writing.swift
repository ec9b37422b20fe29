package import AuthorizationCore
package import Configuration
import Localization
package import Primitives

extension ManageUsers {
    private static let profileMembers: Set<String> = [
        "email", "email_verified", "name", "given_name", "family_name", "nickname", "picture", "username",
        "phone_number", "phone_verified", "locale", "blocked",
    ]

    /// `document` has `connection`, and for a database `email` or `username`. Optional: `user_id` with or without its
    /// prefix, `password`, `user_metadata`, `app_metadata` and profile members.
    package func create(_ document: JSONObject, for context: AdministrativeContext) async throws -> UserRecord {
        let (tenant, connection) = try await store.read { reader in
            (
                try reader.tenant(context.tenant).orUnknown(.tenant),
                try Self.connection(document["connection"]?.stringValue ?? "", reader, context.tenant)
            )
        }
        let new = try newUser(document, of: connection, now: context.now)
        let hash = try await hash(document["password"], of: new.user, tenant)
        return try await store.change(for: context) { change in
            try Self.create(new, passwordHash: hash, change).record().orUnknown(.user)
        }
    }

    /// A new user as a document describes them, checked as far as it can be without the other users.
    struct NewUser: Sendable {
        let user: User
        let metadata: UserMetadata
    }

    func newUser(_ document: JSONObject, of connection: LoginConnection, now: Timestamp) throws -> NewUser {
        var profile = try Self.profile(of: document, besides: ["connection", "user_id", "password"])
        let id = try userID(document["user_id"]?.stringValue, connection)
        Self.derive(&profile)
        profile["user_id"] = .string(id.rawValue)
        let user = try DocumentFields.entity(profile) { User($0, now: now) }
        try Self.check(user, input: profile)
        return NewUser(user: user, metadata: try Self.metadata(document, over: UserMetadata()))
    }

    /// Writes nothing if it throws.
    @discardableResult
    static func create(
        _ new: NewUser, passwordHash: String?, fields: [String] = [], _ change: UserChange
    ) throws -> AdministeredUser {
        let user = new.user
        guard try change.reader.user(user.id, in: change.tenant) == nil else {
            throw AdministrationFailure.conflict(.user, same: "user_id")
        }
        try checkNames(of: user, change)
        let person = try change.create(user, passwordHash: passwordHash)
        if new.metadata != UserMetadata() { try person.put(new.metadata) }
        try change.record(.created, .user, user.id.rawValue, fields: fields, user: user.id)
        return person
    }

    /// Replaces the members in `patch`; null deletes one. Metadata are merged at the first level. A new address is
    /// unverified unless the patch says otherwise. A new password or a block ends sessions and tokens.
    package func update(
        _ id: UserID, _ patch: JSONObject, for context: AdministrativeContext
    ) async throws -> UserRecord {
        let changes = try Self.profile(of: patch, besides: ["connection", "password"])
        // Checked before hashing, too: hashing is slow.
        let (tenant, known) = try await store.read { reader in
            let user = try Self.record(of: id, reader, context.tenant).user
            if let name = patch["connection"]?.stringValue, name != user.connection {
                let isDatabase = try Self.connection(name, reader, context.tenant).isDatabase
                guard isDatabase, user.isOfDatabase else {
                    throw AdministrationFailure.invalid("connection", "is not the one that the user belongs to")
                }
            }
            return (try reader.tenant(context.tenant).orUnknown(.tenant), user)
        }
        let changed = try Self.patched(known, with: changes, now: context.now)
        let hash = try await hash(patch["password"], of: changed, tenant)
        return try await store.change(for: context) { change in
            let person = try change.user(id).orUnknown(.user)
            try Self.update(person, with: changes, metadata: patch, passwordHash: hash, change)
            return try person.record().orUnknown(.user)
        }
    }

    /// `patch` has the metadata. False if nothing changes. Writes nothing if it throws.
    @discardableResult
    static func update(
        _ person: AdministeredUser, with changes: JSONObject, metadata patch: JSONObject, passwordHash hash: String?,
        roles: [RoleID]? = nil, _ change: UserChange
    ) throws -> Bool {
        let old = person.user
        var user = try patched(old, with: changes, now: change.now)
        if let roles { user.roles = roles }
        try checkNames(of: user, change)
        let kept = try change.reader.metadata(of: old.id, in: change.tenant)
        let metadata = try metadata(patch, over: kept)
        var fields = user.document.differences(from: old.document)
        if metadata.user != kept.user { fields.append("user_metadata") }
        if metadata.app != kept.app { fields.append("app_metadata") }
        if hash != nil { fields.append("password") }
        guard !fields.isEmpty else { return false }
        try person.put(user, passwordHash: hash ?? person.passwordHash)
        if metadata != kept { try person.put(metadata) }
        if hash != nil || (user.blocked && !old.blocked) {
            try person.endAccess()
        }
        // Tickets were mailed to the old address or set the old password.
        if hash != nil || user.email != old.email { try person.removeTickets() }
        try change.record(.changed, .user, old.id.rawValue, fields: fields.sorted(), user: old.id)
        return true
    }

    // MARK: reading documents

    private static func profile(of document: JSONObject, besides others: Set<String>) throws -> JSONObject {
        var profile = JSONObject()
        for (name, value) in document where !others.union(["user_metadata", "app_metadata"]).contains(name) {
            guard profileMembers.contains(name) else {
                throw AdministrationFailure.invalid(name, "is not a known field")
            }
            profile[name] = value
        }
        return profile
    }

    private static func patched(_ old: User, with changes: JSONObject, now: Timestamp) throws -> User {
        var document = old.document.patched(with: changes)
        if document["email"]?.stringValue.flatMap(EmailAddress.init(parsing:)) != old.email,
            changes["email_verified"] == nil
        {
            document["email_verified"] = false
        }
        if document["phone_number"] != old.document["phone_number"], changes["phone_verified"] == nil {
            document["phone_verified"] = false
        }
        var user = try DocumentFields.entity(document) { User($0, now: now) }
        user.createdAt = old.createdAt
        user.updatedAt = now
        try check(user, input: changes)
        return user
    }

    private static func metadata(_ document: JSONObject, over kept: UserMetadata) throws -> UserMetadata {
        func merged(_ name: String, _ old: JSONObject) throws -> JSONObject {
            guard let value = document[name] else { return old }
            if value.isNull { return [:] }
            guard let patch = value.objectValue else {
                throw AdministrationFailure.invalid(name, "must be an object or null")
            }
            // As at Auth0, {} deletes all metadata.
            if patch.isEmpty { return [:] }
            let new = old.patched(with: patch)
            if let problem = UserMetadata.problem(with: new) { throw AdministrationFailure.invalid(name, problem) }
            return new
        }
        return UserMetadata(user: try merged("user_metadata", kept.user), app: try merged("app_metadata", kept.app))
    }

    /// Derives missing members from the others, as Auth0 does. Not the picture: its URL would reveal the user to an
    /// avatar service.
    private static func derive(_ profile: inout JSONObject) {
        func preset(_ name: String, _ value: String) {
            if profile[name]?.isNull ?? true { profile[name] = .string(value) }
        }
        if let email = profile["email"]?.stringValue.flatMap(EmailAddress.init(parsing:)) {
            preset("name", email.description)
            preset("nickname", email.localPart)
        } else if let username = profile["username"]?.stringValue {
            preset("name", username)
            preset("nickname", username)
        }
    }

    private func userID(_ given: String?, _ connection: LoginConnection) throws -> UserID {
        guard connection.isDatabase else {
            guard let given, !given.isEmpty else {
                throw AdministrationFailure.invalid(
                    "user_id", "must be the user's id at the provider of the connection \(connection.name)")
            }
            let prefix = connection.name + "|"
            return UserID(given.hasPrefix(prefix) ? given : prefix + given)
        }
        guard let given else { return Identifiers.user(random) }
        let bare = given.hasPrefix("auth0|") ? String(given.dropFirst("auth0|".count)) : given
        guard !bare.isEmpty, !bare.contains("|") else {
            throw AdministrationFailure.invalid("user_id", "must hold one | at most, behind auth0")
        }
        return UserID("auth0|" + bare)
    }

    // MARK: rules

    /// `input` has the new values. Stored values are not checked again.
    private static func check(_ user: User, input: JSONObject) throws {
        if user.isOfDatabase, user.email == nil, user.username == nil,
            ["user_id", "email", "username"].contains(where: { input[$0] != nil })
        {
            throw AdministrationFailure.invalid("email", "is required, unless there is a username")
        }
        if let username = user.username, input["username"] != nil, !isUsername(username) {
            throw AdministrationFailure.invalid(
                "username", "may hold letters without accents, digits and @ ^ $ . ! ` - # + ' ~ _, and is no address")
        }
        if user.username != nil, !user.isOfDatabase {
            throw AdministrationFailure.invalid("username", "is for users of the database")
        }
        if let number = user.phoneNumber, input["phone_number"] != nil, !isPhoneNumber(number) {
            throw AdministrationFailure.invalid("phone_number", "must be + and 1 to 15 digits")
        }
    }

    private static func isUsername(_ text: String) -> Bool {
        EmailAddress(parsing: text) == nil
            && text.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "@^$.!`-#+'~_".utf8.contains(byte)
            }
    }

    /// E.164.
    private static func isPhoneNumber(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.hasPrefix("+") && (1...15).contains(digits.count)
            && digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func checkNames(of user: User, _ change: UserChange) throws {
        guard user.isOfDatabase else { return }
        if let email = user.email, let owner = try change.reader.user(email: email, in: change.tenant),
            owner != user.id
        {
            throw AdministrationFailure.conflict(.user, same: "email")
        }
        if let username = user.username,
            let owner = try change.reader.user(username: username, in: change.tenant), owner != user.id
        {
            throw AdministrationFailure.conflict(.user, same: "username")
        }
    }

    /// Encoded hash of a new password. Nil means none given.
    private func hash(_ given: JSONValue?, of user: User, _ tenant: Tenant) async throws -> String? {
        guard let given else { return nil }
        guard let password = given.stringValue.map({ Password($0) }) else {
            throw AdministrationFailure.invalid("password", "must be a text")
        }
        guard user.isOfDatabase else {
            throw AdministrationFailure.invalid(
                "password", "is the provider's to ask for with the connection \(user.connection)")
        }
        if let problem = Self.problem(with: password, of: user, tenant.settings) {
            throw AdministrationFailure.invalid("password", problem)
        }
        return try await passwords.hash(password)
    }

    /// Objections of the tenant to a new password, in one text. Nil means none.
    static func problem(with password: Password, of user: User, _ settings: TenantSettings) -> String? {
        let objections = PasswordPolicy(minimumLength: settings.passwordMinimumLength)
            .objections(to: password, email: user.email)
        if objections.isEmpty { return nil }
        return "PasswordStrengthError: \(objections.map { $0[.english] }.joined(separator: " "))"
    }

    private static func connection(
        _ name: String, _ reader: any UserReader, _ tenant: TenantID
    ) throws -> LoginConnection {
        let all = try reader.connectionsOrDefault(of: tenant)
        if let connection = all.first(where: { $0.name == name }) { return connection }
        // The users of a database have this name in their identities, whatever the database's own is.
        if name == LoginConnection.defaultDatabaseName, let database = all.first(where: \.isDatabase) {
            return database
        }
        throw AdministrationFailure.invalid("connection", "is no connection of this tenant")
    }
}

extension User {
    /// True if the user's password is stored here.
    var isOfDatabase: Bool { connection == LoginConnection.defaultDatabaseName }
}
