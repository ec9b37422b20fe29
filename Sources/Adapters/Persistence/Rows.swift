import AuthorizationCore
import Flows
import GuardianWire
import JOSE
import Localization
import OAuthWire
import Primitives
import SQL
import Synchronization

/// A stored value that this program cannot read.
struct CorruptRow: Error {
    let what: String
}

extension JSONValue {
    /// Reads JSON that this program stored.
    init(stored text: String) throws {
        do { self = try JSONReader.parse(text, depthLimit: 64) } catch { throw CorruptRow(what: "JSON: \(error)") }
    }
}

/// Conditions on `backchannel_request` that several statements share. States are constants and not parameters, so that
/// the planner sees them. Their numbers are those of `BackchannelRequest.State`.
enum RequestSQL {
    static let isPending: StaticString = "state = 0"
    static let isApproved: StaticString = "state = 1"
    static let becomesDenied: StaticString = "state = 2"
    static let becomesRedeemed: StaticString = "state = 3"
    /// Request of a client. A login's request has the hash of its transaction in `log_in`.
    static let isOfClient: StaticString = "log_in IS NULL"
    /// Takes a parameter: null for a client's request, the transaction's hash for a login's.
    static let isOfLogin: StaticString = "log_in IS NOT DISTINCT FROM"
}

extension BackchannelRequest {
    /// Qualified by the table, for joins.
    static let columns: StaticString = """
        backchannel_request.sequence, backchannel_request.hash, backchannel_request.tenant, backchannel_request.client,
        backchannel_request."user", backchannel_request.scope, backchannel_request.audience,
        backchannel_request.binding_message, backchannel_request.authorization_details, backchannel_request.channel,
        backchannel_request.created_at, backchannel_request.expires_at, backchannel_request.poll_interval,
        backchannel_request.state, backchannel_request.decided_at, backchannel_request.decided_by,
        backchannel_request.log_in
        """
    static let columnCount = 17

    init(_ row: borrowing Row) throws {
        guard let channel = Client.NotificationChannel(rawValue: try row.text(9)),
            let state = State(rawValue: try row.int(13))
        else { throw CorruptRow(what: "backchannel_request") }
        self.init(
            consentID: AuthReqIDHash(stored: try row.blob(1)).consentID, tenant: try row.id(2), client: try row.id(3),
            user: try row.id(4), scope: ScopeSet(try row.text(5).split(separator: " ").map(String.init)),
            audience: try row.text(6), bindingMessage: try row.text(7),
            authorizationDetails: try row.optionalText(8).map { try JSONValue(stored: $0) }, channel: channel,
            createdAt: try row.timestamp(10), expiresAt: try row.timestamp(11), interval: try row.int(12))
        sequence = try row.int64(0)
        self.state = state
        decidedAt = try row.optionalTimestamp(14)
        decidedBy = try row.optionalID(15)
        logIn = try row.isNull(16) ? nil : row.blob(16)
    }
}

extension Device {
    /// Qualified by the table, for joins.
    static let columns: StaticString = """
        device.id, device.tenant, device."user", device.identifier, device.name, device.public_key, device.push_service,
        device.push_token, device.enrolled_at
        """

    /// `first` is the column of `id`.
    init(_ row: borrowing Row, at first: Int = 0) throws {
        var push: PushCredentials?
        if let service = try row.optionalText(first + 6), let token = try row.optionalText(first + 7) {
            guard let known = PushCredentials.Service(rawValue: service) else { throw CorruptRow(what: "push service") }
            push = PushCredentials(service: known, token: token)
        }
        self.init(
            id: try row.id(first), tenant: try row.id(first + 1), user: try row.id(first + 2),
            identifier: try row.text(first + 3), name: try row.text(first + 4),
            publicKey: try DeviceKeys.key(stored: try row.text(first + 5)), push: push,
            enrolledAt: try row.timestamp(first + 8))
    }
}

extension User {
    /// Qualified by the table, for joins.
    static let columns: StaticString = """
        "user".id, "user".email, "user".email_verified, "user".name, "user".given_name, "user".family_name,
        "user".nickname, "user".picture, "user".phone_number, "user".language, "user".blocked, "user".roles,
        "user".created_at, "user".updated_at, "user".username, "user".phone_verified, "user".permissions
        """
    static let columnCount = 17

    /// `first` is the column of `id`.
    init(_ row: borrowing Row, at first: Int = 0) throws {
        self.init(id: try row.id(first), createdAt: try row.timestamp(first + 12))
        email = try row.optionalText(first + 1)
        emailVerified = try row.bool(first + 2)
        name = try row.optionalText(first + 3)
        givenName = try row.optionalText(first + 4)
        familyName = try row.optionalText(first + 5)
        nickname = try row.optionalText(first + 6)
        picture = try row.optionalText(first + 7)
        phoneNumber = try row.optionalText(first + 8)
        language = try row.optionalText(first + 9).flatMap(Language.init(rawValue:))
        blocked = try row.bool(first + 10)
        roles = try row.text(first + 11).split(separator: " ").map { RoleID(String($0)) }
        updatedAt = try row.timestamp(first + 13)
        username = try row.optionalText(first + 14)
        phoneVerified = try row.bool(first + 15)
        permissions = try Self.permissions(stored: try row.text(first + 16))
    }

    /// Stored form of the permissions. Empty for most users, who have none of their own.
    var storedPermissions: String {
        if permissions.isEmpty { return "" }
        let sorted = permissions.sorted { ($0.resourceServer, $0.scope) < ($1.resourceServer, $1.scope) }
        return JSONWriter.string(.array(sorted.map { [.string($0.resourceServer), .string($0.scope)] }))
    }

    private static func permissions(stored text: String) throws -> Set<Role.Permission> {
        if text.isEmpty { return [] }
        return Set(
            try (JSONValue(stored: text).arrayValue ?? []).map { entry in
                guard let api = entry[0]?.stringValue, let scope = entry[1]?.stringValue else {
                    throw CorruptRow(what: "permissions")
                }
                return Role.Permission(resourceServer: api, scope: scope)
            })
    }
}

/// Cache of parsed device keys. A device is read for its notification, its consent and its decision within seconds, and
/// parsing a key costs more than finding its row.
enum DeviceKeys {
    /// Maximum number of keys. A full cache is emptied.
    private static let limit = 16_384
    private static let known = Mutex<[String: JWK]>([:])

    static func key(stored text: String) throws -> JWK {
        if let key = known.withLock({ $0[text] }) { return key }
        let key = try JWK(JSONValue(stored: text))
        known.withLock { known in
            if known.count >= limit { known.removeAll() }
            known[text] = key
        }
        return key
    }
}
