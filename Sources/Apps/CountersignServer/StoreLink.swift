import OpenSSLCrypto
import Flows
import PostgreSQLDriver
import Primitives

/// Link of nodes by notifications of the database that they share.
private struct StoreLink: NodeLink {
    let notifications: PostgreSQLNotifications

    var hasOthers: Bool { true }

    func announce(_ announcement: Announcement) { notifications.send(announcement.text) }

    func listen(
        _ hear: @escaping @Sendable (Announcement) -> Void, doubt: @escaping @Sendable () -> Void
    ) async {
        await notifications.listen(
            { text in
                if let announcement = Announcement(parsing: String(text)) { hear(announcement) }
            }, doubt: doubt)
    }
}

extension ServerSettings {
    /// Link to the nodes of the same store. A file has one server at a time (ServingLock).
    func link() throws -> any NodeLink {
        switch store {
        case .file: NoOtherNodes()
        case .postgreSQL(let address):
            StoreLink(notifications: try PostgreSQLNotifications(PostgreSQLConfiguration(address)))
        }
    }

    /// Name of this node, by which it finds its leases. One that starts again with another name waits until they end.
    var nodeName: String { store.isFile ? "server" : "node-" + Hex.encode(SystemRandom().bytes(8)) }
}
