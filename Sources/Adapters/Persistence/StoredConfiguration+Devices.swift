import Primitives
import AuthorizationCore
import Configuration
import Flows
import SQL

extension StoredConfiguration {
    // MARK: phones

    private func devices(_ condition: SQLFragment) throws -> [DeviceRecord] {
        try connection.query(
            """
            SELECT EXISTS (SELECT 1 FROM one_time_password o WHERE o.device = device.id),
                \(raw: Device.columns.description)
            FROM device WHERE \(condition) ORDER BY enrolled_at, id
            """
        ) { DeviceRecord(device: try Device($0, at: 1), hasOneTimePasswords: try $0.bool(0)) }
    }

    func devices(of user: UserID, in tenant: TenantID) throws -> [DeviceRecord] {
        try devices(#"tenant = \#(tenant) AND "user" = \#(user)"#)
    }

    func hasEnrollmentTicket(of user: UserID, in tenant: TenantID, now: Timestamp) throws -> Bool {
        try connection.first(
            """
            SELECT 1 FROM enrollment_ticket
            WHERE tenant = \(tenant) AND "user" = \(user) AND used_by IS NULL AND expires_at > \(now) LIMIT 1
            """
        ) { _ in true } ?? false
    }

    func device(_ id: DeviceID, in tenant: TenantID) throws -> DeviceRecord? {
        try devices("id = \(id) AND tenant = \(tenant)").first
    }

    /// Removing the last factor is how an operator resets the second factor: the recovery codes, which may be lost with
    /// it, go as well.
    func remove(device: DeviceID, from tenant: TenantID, now: Timestamp) throws -> Bool {
        guard let owner = try self.device(device, in: tenant)?.device.user else { return false }
        try connection.lock(owner, in: tenant)
        let removed = try Store.removeDevices(where: "id = \(device)", tenant: tenant, now: now, connection)
        guard !removed.isEmpty else { return false }
        try removeLoneRecoveryCodes(of: owner, in: tenant)
        return true
    }

    private func removeLoneRecoveryCodes(of user: UserID, in tenant: TenantID) throws {
        guard try !hasPhoneOrApp(user, in: tenant) else { return }
        try Store.deleteRecoveryCodes(of: user, tenant: tenant, connection)
    }

    func put(name: String, ofDevice id: DeviceID, in tenant: TenantID) throws {
        try connection.execute("UPDATE device SET name = \(name) WHERE id = \(id) AND tenant = \(tenant)")
    }

    func passkeys(of user: UserID, in tenant: TenantID) throws -> [OwnedPasskey] {
        try connection.query(Store.passkeysOfUser(tenant, user)) { try OwnedPasskey($0) }
    }

    func remove(passkey id: [UInt8], of user: UserID, from tenant: TenantID, now: Timestamp) throws -> Bool {
        try Store.remove(passkey: id, of: user, tenant: tenant, now: now, connection)
    }

    func recoveryCodes(of user: UserID, in tenant: TenantID) throws -> Int {
        try Store.recoveryCodes(of: user, tenant: tenant, connection)
    }

    func replaceRecoveryCodes(of user: UserID, by hashes: [[UInt8]], in tenant: TenantID, now: Timestamp) throws {
        try connection.lock(user, in: tenant)
        try store.replaceRecoveryCodes(of: user, by: hashes, tenant: tenant, now: now, connection)
        try Store.voidFactors(of: user, tenant: tenant, now: now, connection)
    }

    func removeOneTimePasswords(of device: DeviceID, of user: UserID, in tenant: TenantID, now: Timestamp) throws {
        try Store.voidFactors(of: user, tenant: tenant, now: now, connection)
        try connection.execute("DELETE FROM one_time_password WHERE device = \(device) AND tenant = \(tenant)")
    }

    // MARK: authenticator apps

    func authenticators(of user: UserID, in tenant: TenantID) throws -> [Authenticator] {
        try Store.authenticators(of: user, tenant: tenant, connection)
    }

    func hasPhoneOrApp(_ user: UserID, in tenant: TenantID) throws -> Bool {
        try Store.hasPhoneOrApp(user, tenant: tenant, connection)
    }

    func add(_ new: NewAuthenticator, in tenant: TenantID) throws {
        try connection.lock(new.authenticator.user, in: tenant)
        try Store.insert(new, tenant: tenant, connection)
    }

    func remove(authenticator id: AuthenticatorID, of user: UserID, from tenant: TenantID, now: Timestamp) throws
        -> Bool
    {
        try connection.lock(user, in: tenant)
        guard try Store.remove(authenticator: id, of: user, tenant: tenant, now: now, connection) else { return false }
        try removeLoneRecoveryCodes(of: user, in: tenant)
        return true
    }

    // MARK: identities

    func owner(of identity: UserIdentity, in tenant: TenantID) throws -> UserID? {
        try connection.first(
            """
            SELECT "user" FROM identity WHERE tenant = \(tenant) AND provider = \(identity.provider)
                AND provider_id = \(identity.userID)
            """
        ) { try $0.id(0) }
    }

    func link(_ identity: UserIdentity, to user: UserID, in tenant: TenantID) throws {
        try connection.execute(
            """
            INSERT INTO identity (tenant, provider, provider_id, "user")
            VALUES (\(tenant), \(identity.provider), \(identity.userID), \(user))
            """)
    }

    func unlink(_ identity: UserIdentity, from user: UserID, in tenant: TenantID) throws -> Bool {
        try connection.execute(
            """
            DELETE FROM identity WHERE tenant = \(tenant) AND provider = \(identity.provider)
                AND provider_id = \(identity.userID) AND "user" = \(user)
            """) > 0
    }

    // MARK: tickets

    func put(_ ticket: UserTicket, in tenant: TenantID) throws {
        switch ticket.kind {
        case .password:
            try Store.put(
                PasswordTicket(
                    hash: ticket.hash, tenant: tenant, user: ticket.user, email: ticket.email,
                    createdAt: ticket.createdAt, expiresAt: ticket.expiresAt, provesEmail: ticket.provesEmail,
                    resultURL: ticket.resultURL),
                connection)
        case .email:
            // `ManageTickets` requires an address.
            guard let email = ticket.email else { return }
            try Store.put(
                EmailTicket(user: ticket.user, email: email, resultURL: ticket.resultURL), hash: ticket.hash,
                createdAt: ticket.createdAt, expiresAt: ticket.expiresAt, tenant: tenant, connection)
        case .enrollment:
            try connection.execute(
                """
                INSERT INTO enrollment_ticket (hash, tenant, "user", created_at, expires_at, first_only)
                VALUES (\(ticket.hash), \(tenant), \(ticket.user), \(ticket.createdAt), \(ticket.expiresAt),
                    \(ticket.isForFirstDevice))
                """)
        }
    }

    func enqueue(_ mail: SealedMail) throws { try store.insert(mail, connection) }

    // MARK: keys of devices

    func deviceCredentials(
        of user: UserID?, client: ClientID?, in tenant: TenantID, limit: Int
    ) throws -> [DeviceCredential] {
        var parts: [SQLFragment] = ["tenant = \(tenant)"]
        if let user { parts.append(#""user" = \#(user)"#) }
        if let client { parts.append("client = \(client)") }
        return try connection.query(
            """
            SELECT id, "user", client, device_id, device_name, value, created_at FROM device_credential
            WHERE \(SQLFragment.joined(parts, by: " AND ")) ORDER BY id LIMIT \(limit)
            """
        ) { row in
            DeviceCredential(
                id: try row.text(0), user: try row.id(1), client: try row.optionalID(2), deviceID: try row.text(3),
                deviceName: try row.text(4), value: try row.text(5), createdAt: try row.timestamp(6))
        }
    }

    func add(_ credential: DeviceCredential, in tenant: TenantID) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO device_credential (tenant, id, "user", client, device_id, device_name, value, created_at)
            VALUES (\(tenant), \(credential.id), \(credential.user), \(credential.client), \(credential.deviceID),
                \(credential.deviceName), \(credential.value), \(credential.createdAt))
            ON CONFLICT (tenant, "user", device_id) DO NOTHING
            """) == 1
    }

    func remove(deviceCredential id: String, from tenant: TenantID) throws -> UserID? {
        try connection.first(
            #"DELETE FROM device_credential WHERE tenant = \#(tenant) AND id = \#(id) RETURNING "user""#
        ) { try $0.id(0) }
    }
}
