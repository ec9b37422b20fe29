import AuthorizationCore
import GuardianWire
import JOSE
import Primitives
import SQL
import Synchronization

extension Device {
    /// Qualified by the table, for joins.
    static let columns: StaticString = """
        device.id, device.tenant, device."user", device.identifier, device.name, device.public_key, device.push_service,
        device.push_token, device.enrolled_at, device.capabilities, device.push_registered_at, device.push_ended_at,
        device.push_problem, device.key_lost_at
        """

    static let columnCount = 14

    /// `first` is the column of `id`.
    init(_ row: borrowing Row, at first: Int = 0) throws {
        let service = try row.optionalText(first + 6).map { text in
            guard let known = PushCredentials.Service(rawValue: text) else { throw CorruptRow(what: "push service") }
            return known
        }
        let token = try row.optionalText(first + 7)
        self.init(
            id: try row.id(first), tenant: try row.id(first + 1), user: try row.id(first + 2),
            identifier: try row.text(first + 3), name: try row.text(first + 4),
            publicKey: try DeviceKeys.key(stored: try row.text(first + 5)),
            push: service.flatMap { service in token.map { PushCredentials(service: service, token: $0) } },
            enrolledAt: try row.timestamp(first + 8), capabilities: Set(stored: try row.int64(first + 9)),
            pushRegisteredAt: try row.timestamp(first + 10))
        keyLostAt = try row.optionalTimestamp(first + 13)
        if let service, let end = try row.optionalTimestamp(first + 11) {
            endedPush = EndedPush(service, at: end, reason: try row.optionalText(first + 12) ?? "")
        }
    }
}

/// The stored form: a bit for each capability.
extension Set<DeviceCapability> {
    var stored: Int64 { reduce(0) { $0 | $1.bit } }

    init(stored bits: Int64) { self = bits == 0 ? [] : Set(DeviceCapability.allCases.filter { bits & $0.bit != 0 }) }
}

extension DeviceCapability {
    fileprivate var bit: Int64 {
        switch self {
        case .signedDigest: 1
        case .numberMatching: 2
        case .passkeys: 4
        case .numberTyping: 8
        case .oneTimeCode: 16
        }
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
