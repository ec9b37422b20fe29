import Flows
import OpenSSLCrypto
import PostgreSQLDriver
import Primitives

/// Link of nodes by notifications of the database that they share.
///
/// Any account of the database may listen and notify, so that announcements are sealed: an event for a phone has tokens, and
/// a forged one would reach people.
struct StoreLink: NodeLink {
    private static let context = "announcement"

    let notifications: PostgreSQLNotifications
    let sealer: any Sealer

    var hasOthers: Bool { true }

    func announce(_ announcement: Announcement) {
        guard let sealed = try? sealer.seal(Array(announcement.text.utf8), context: Self.context) else { return }
        notifications.send(Base64URL.encode(sealed))
    }

    func listen(
        _ hear: @escaping @Sendable (Announcement) -> Void, doubt: @escaping @Sendable () -> Void
    ) async {
        await notifications.listen(
            { text in if let announcement = announcement(in: text) { hear(announcement) } }, doubt: doubt)
    }

    /// Nil for a text that nobody with the master key wrote.
    private func announcement(in text: Substring) -> Announcement? {
        guard let sealed = Base64URL.decode(text), let opened = try? sealer.open(sealed, context: Self.context) else {
            return nil
        }
        return Announcement(parsing: String(decoding: opened.bytes, as: UTF8.self))
    }
}

extension ServerSettings {
    /// Link to the nodes of the same store. A file has one server at a time (ServingLock).
    func link(_ sealer: any Sealer) throws -> any NodeLink {
        switch store {
        case .file: NoOtherNodes()
        case .postgreSQL(let address):
            StoreLink(
                notifications: try PostgreSQLNotifications(PostgreSQLConfiguration(address)), sealer: sealer)
        }
    }

    /// Name of this node, by which it finds its leases. One that starts again with another name waits until they end.
    var nodeName: String { store.isFile ? "server" : "node-" + Hex.encode(SystemRandom().bytes(8)) }
}
