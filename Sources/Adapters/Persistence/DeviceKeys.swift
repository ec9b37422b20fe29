import JOSE
import Primitives
import Synchronization

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
