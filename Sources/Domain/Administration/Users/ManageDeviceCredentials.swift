package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages public keys of users' devices.
package struct ManageDeviceCredentials: Sendable {
    /// Maximum listed entries.
    package static let limit = 1000

    let store: any ConfigurationStore
    let random: any RandomSource

    /// Keys and refresh tokens, filtered by user and client unless nil. At most `limit` of each.
    package func list(
        user: UserID?, client: ClientID?, in tenant: TenantID, now: Timestamp
    ) async throws -> (keys: [DeviceCredential], tokens: [RefreshTokenRecord]) {
        try await store.read { reader in
            (
                try reader.deviceCredentials(of: user, client: client, in: tenant, limit: Self.limit),
                try reader.refreshTokens(
                    RefreshTokenFilter(user: user, client: client), in: tenant, limit: Self.limit, now: now)
            )
        }
    }

    package func create(
        user: UserID, client: ClientID?, deviceID: String, deviceName: String, value: String,
        for context: AdministrativeContext
    ) async throws -> DeviceCredential {
        let credential = DeviceCredential(
            id: "dcr_" + Base64URL.encode(random.bytes(12)), user: user, client: client, deviceID: deviceID,
            deviceName: deviceName, value: value, createdAt: context.now)
        return try await store.change(for: context) { change in
            let owner = try change.user(user).orUnknown(.user)
            if let client {
                _ = try change.reader.find(Client.self, client.rawValue, of: change.tenant).orUnknown(.client)
            }
            guard try owner.add(credential) else {
                throw AdministrationFailure.conflict(.deviceCredential, same: "device_id")
            }
            try change.record(.created, .deviceCredential, credential.id, user: user)
            return credential
        }
    }

    /// False if the key does not exist.
    package func remove(_ id: String, for context: AdministrativeContext) async throws -> Bool {
        try await store.change(for: context) { change in
            guard let user = try change.remove(deviceCredential: id) else { return false }
            try change.record(.removed, .deviceCredential, id, user: user)
            return true
        }
    }
}

extension Managers {
    package var deviceCredentials: ManageDeviceCredentials { ManageDeviceCredentials(store: store, random: random) }
}
