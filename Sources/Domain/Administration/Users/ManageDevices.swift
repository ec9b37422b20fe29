package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages users' enrolled phones (Guardian: enrolments, authenticators) for operators.
package struct ManageDevices: Sendable {
    let store: any ConfigurationStore

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
            guard let device = try change.transaction.device(id, in: context.tenant)?.device,
                user == nil || user == device.user
            else { return false }
            try Self.remove(device, change)
            return true
        }
    }

    /// False if the user has no such passkey.
    package func remove(
        passkey id: [UInt8], of user: UserID, for context: AdministrativeContext
    ) async throws -> Bool {
        try await store.change(for: context) { try Self.remove(passkey: id, of: user, $0) }
    }

    /// Removes the user's phones, and passkeys.
    package func removeAll(of user: UserID, for context: AdministrativeContext) async throws {
        try await store.change(for: context) { change in
            _ = try ManageUsers.record(of: user, change.transaction, context.tenant)
            for record in try change.transaction.devices(of: user, in: context.tenant) {
                try Self.remove(record.device, change)
            }
            for owned in try change.transaction.passkeys(of: user, in: context.tenant) {
                _ = try Self.remove(passkey: owned.passkey.id, of: user, change)
            }
        }
    }

    package func rename(
        _ id: DeviceID, of user: UserID? = nil, to name: String, for context: AdministrativeContext
    ) async throws -> DeviceRecord {
        try await store.change(for: context) { change in
            guard let old = try change.transaction.device(id, in: context.tenant),
                user == nil || user == old.device.user
            else { throw AdministrationFailure.unknown(.authenticationMethod) }
            guard old.device.name != name else { return old }
            try change.transaction.put(name: name, ofDevice: id, in: context.tenant)
            try change.record(.changed, .device, id.rawValue, fields: ["name"], user: old.device.user)
            var device = old.device
            device.name = name
            return DeviceRecord(device: device, hasOneTimePasswords: old.hasOneTimePasswords)
        }
    }

    /// Deletes one-time passwords of a user's phone, or for nil of all. The phones stay.
    package func removeOneTimePasswords(
        of user: UserID, on device: DeviceID? = nil, for context: AdministrativeContext
    ) async throws {
        try await store.change(for: context) { change in
            _ = try ManageUsers.record(of: user, change.transaction, context.tenant)
            for record in try change.transaction.devices(of: user, in: context.tenant)
            where record.hasOneTimePasswords && (device == nil || device == record.device.id) {
                let id = record.device.id
                try change.transaction.removeOneTimePasswords(of: id, of: user, in: context.tenant, now: change.now)
                try change.record(.changed, .device, id.rawValue, fields: ["one_time_passwords"], user: user)
            }
        }
    }

    private static func remove(passkey id: [UInt8], of user: UserID, _ change: UserChange) throws -> Bool {
        guard try change.transaction.remove(passkey: id, of: user, from: change.tenant, now: change.now) else {
            return false
        }
        try change.record(.removed, .authenticationMethod, "passkey|\(Base64URL.encode(id))", user: user)
        return true
    }

    private static func remove(_ device: Device, _ change: UserChange) throws {
        guard try change.transaction.remove(device: device.id, from: change.tenant, now: change.now) else { return }
        try change.record(.removed, .device, device.id.rawValue, user: device.user)
    }
}

extension Managers {
    package var devices: ManageDevices { ManageDevices(store: store) }
}
