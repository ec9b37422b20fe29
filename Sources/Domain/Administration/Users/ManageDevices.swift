package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages users' enrolled phones (Guardian: enrolments, authenticators), passkeys and authenticator apps for operators.
package struct ManageDevices: Sendable {
    let store: any ConfigurationStore
    let sealer: any Sealer
    let random: any RandomSource

    /// Oldest first.
    package func devices(of user: UserID, in tenant: TenantID) async throws -> [DeviceRecord] {
        try await store.read { reader in
            _ = try ManageUsers.record(of: user, reader, tenant)
            return try reader.devices(of: user, in: tenant)
        }
    }

    /// The user's passkeys, oldest first.
    package func passkeys(of user: UserID, in tenant: TenantID) async throws -> [OwnedPasskey] {
        try await store.read { try $0.passkeys(of: user, in: tenant) }
    }

    /// `kind` names the object in the error if it does not exist.
    package func device(
        _ id: DeviceID, in tenant: TenantID, as kind: ObjectKind = .enrollment
    ) async throws -> DeviceRecord {
        try await store.read { try $0.device(id, in: tenant) }.orUnknown(kind)
    }

    /// Date of the user's password, else of their creation. Nil means no password.
    package func passwordDate(of user: UserID, in tenant: TenantID) async throws -> Timestamp? {
        try await store.read { reader in
            let record = try ManageUsers.record(of: user, reader, tenant)
            guard try reader.user(user, in: tenant)?.passwordHash != nil else { return nil }
            return record.activity.lastPasswordReset ?? record.user.createdAt
        }
    }

    /// False if the device is unknown, or not that of `user`.
    @discardableResult
    package func remove(
        _ id: DeviceID, of user: UserID? = nil, for context: AdministrativeContext
    ) async throws -> Bool {
        try await store.change(for: context) { change in
            guard let (record, owner) = try change.device(id), user == nil || user == owner.id else { return false }
            try Self.remove(record.device, of: owner, change)
            return true
        }
    }

    /// False if the user has no such passkey.
    package func remove(
        passkey id: [UInt8], of user: UserID, for context: AdministrativeContext
    ) async throws -> Bool {
        try await store.change(for: context) { change in
            guard let owner = try change.user(user) else { return false }
            return try Self.remove(passkey: id, of: owner, change)
        }
    }

    /// The user's authenticator apps, oldest first.
    package func authenticators(of user: UserID, in tenant: TenantID) async throws -> [Authenticator] {
        try await store.read { try $0.authenticators(of: user, in: tenant) }
    }

    /// Gives a user an authenticator app. Refuses more than ``Authenticator/limit``.
    package func add(
        _ given: ForeignAuthenticator, to user: UserID, for context: AdministrativeContext
    ) async throws -> Authenticator {
        let new = try NewAuthenticator(
            given, of: user, tenant: context.tenant, at: context.now, isOfAdministrator: true, sealer, random)
        try await store.change(for: context) { change in
            let owner = try change.user(user).orUnknown(.user)
            try owner.add(new)
            try change.record(.created, .authenticationMethod, Self.methodID(new.authenticator.id), user: owner.id)
        }
        return new.authenticator
    }

    private static func methodID(_ id: AuthenticatorID) -> String { "totp|\(id)" }

    /// False if the user has no such authenticator app.
    package func remove(
        authenticator id: AuthenticatorID, of user: UserID, for context: AdministrativeContext
    ) async throws -> Bool {
        try await store.change(for: context) { change in
            guard let owner = try change.user(user) else { return false }
            return try Self.remove(authenticator: id, of: owner, change)
        }
    }

    private static func remove(
        authenticator id: AuthenticatorID, of owner: AdministeredUser, _ change: UserChange
    ) throws -> Bool {
        guard try owner.remove(authenticator: id) else { return false }
        try change.record(.removed, .authenticationMethod, methodID(id), user: owner.id)
        return true
    }

    /// Removes the user's phones, passkeys, authenticator apps and recovery codes.
    package func removeAll(of user: UserID, for context: AdministrativeContext) async throws {
        try await store.change(for: context) { change in
            let owner = try change.user(user).orUnknown(.user)
            for record in try change.reader.devices(of: user, in: context.tenant) {
                try Self.remove(record.device, of: owner, change)
            }
            for owned in try change.reader.passkeys(of: user, in: context.tenant) {
                _ = try Self.remove(passkey: owned.passkey.id, of: owner, change)
            }
            try Self.removeAuthenticators(of: owner, change)
            // Those of a person who lost the phones before them.
            guard try change.reader.recoveryCodes(of: user, in: context.tenant) > 0 else { return }
            try ManageRecoveryCodes.replace(by: [], of: owner, change)
        }
    }

    package func rename(
        _ id: DeviceID, of user: UserID? = nil, to name: String, for context: AdministrativeContext
    ) async throws -> DeviceRecord {
        try await store.change(for: context) { change in
            guard let (old, owner) = try change.device(id), user == nil || user == owner.id else {
                throw AdministrationFailure.unknown(.authenticationMethod)
            }
            guard try old.device.name != name && owner.put(name: name, ofDevice: id) else { return old }
            try change.record(.changed, .device, id.rawValue, fields: ["name"], user: old.device.user)
            var device = old.device
            device.name = name
            return DeviceRecord(device: device, hasOneTimePasswords: old.hasOneTimePasswords)
        }
    }

    private static func removeAuthenticators(of owner: AdministeredUser, _ change: UserChange) throws {
        for authenticator in try change.reader.authenticators(of: owner.id, in: change.tenant) {
            _ = try remove(authenticator: authenticator.id, of: owner, change)
        }
    }

    /// Deletes one-time passwords of a user's phone, or for nil of all, with the authenticator apps. The phones stay.
    package func removeOneTimePasswords(
        of user: UserID, on device: DeviceID? = nil, for context: AdministrativeContext
    ) async throws {
        try await store.change(for: context) { change in
            let owner = try change.user(user).orUnknown(.user)
            for record in try change.reader.devices(of: user, in: context.tenant)
            where record.hasOneTimePasswords && (device == nil || device == record.device.id) {
                let id = record.device.id
                try owner.removeOneTimePasswords(of: id)
                try change.record(.changed, .device, id.rawValue, fields: ["one_time_passwords"], user: user)
            }
            guard try device == nil && !change.reader.authenticators(of: user, in: context.tenant).isEmpty else {
                return
            }
            // Without its app, the account may have a password alone.
            try context.requireOwn(["delete:authentication_methods"], to: "removing authenticator apps")
            try Self.removeAuthenticators(of: owner, change)
        }
    }

    private static func remove(
        passkey id: [UInt8], of owner: AdministeredUser, _ change: UserChange
    ) throws -> Bool {
        guard try owner.remove(passkey: id) else { return false }
        try change.record(.removed, .authenticationMethod, "passkey|\(Base64URL.encode(id))", user: owner.id)
        return true
    }

    private static func remove(_ device: Device, of owner: AdministeredUser, _ change: UserChange) throws {
        guard try owner.remove(device: device.id) else { return }
        try change.record(.removed, .device, device.id.rawValue, user: device.user)
    }
}

extension Managers {
    package var devices: ManageDevices { ManageDevices(store: store, sealer: sealer, random: random) }
}
