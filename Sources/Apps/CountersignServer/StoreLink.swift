import AuthorizationCore
import Flows
import OpenSSLCrypto
import PostgreSQLDriver
import Primitives
import SQL
import Synchronization

/// Link of nodes by notifications of the database that they share.
///
/// Any account of the database may listen and notify. So announcements are sealed, because an event for a phone has tokens,
/// and a forged one would reach people. A sealed text has its node, a number that grows, and the time: who repeats it is not
/// heard.
final class StoreLink: NodeLink {
    private static let context = "announcement"
    /// Longest way of an announcement, with the difference of two clocks.
    private static let longest = Duration.seconds(90)
    /// Nodes that are remembered. Each start is another one.
    private static let nodes = 1000

    private let sender: Sender
    private let notifications: PostgreSQLNotifications
    private let heard = Mutex<[String: Int64]>([:])

    /// Seals texts, numbered in the order in which they are sent.
    private final class Sender: Sendable {
        let node = Hex.encode(SystemRandom().bytes(8))
        let sealer: any Sealer
        let clock: any WallClock
        private let number = Mutex<Int64>(0)

        init(_ sealer: any Sealer, _ clock: any WallClock) {
            self.sealer = sealer
            self.clock = clock
        }

        /// - Parameter text: Empty tells that others were lost.
        func send(_ text: String, _ send: (String) -> Void) {
            number.withLock { number in
                number += 1
                let whole = "\(node) \(number) \(clock.now.milliseconds) \(text)"
                guard let sealed = try? sealer.seal(Array(whole.utf8), context: StoreLink.context) else { return }
                send(Base64URL.encode(sealed))
            }
        }
    }

    init(_ configuration: PostgreSQLConfiguration, _ sealer: any Sealer, clock: any WallClock) throws(SQLError) {
        let sender = Sender(sealer, clock)
        self.sender = sender
        notifications = try PostgreSQLNotifications(configuration) {
            var lost = ""
            sender.send("") { lost = $0 }
            return lost
        }
    }

    var hasOthers: Bool { true }

    func announce(_ announcement: Announcement) { sender.send(announcement.text, notifications.send) }

    func listen(
        _ hear: @escaping @Sendable (Announcement) -> Void, doubt: @escaping @Sendable () -> Void
    ) async {
        await notifications.listen(
            { [self] line in
                guard let text = opened(line) else { return }
                if text.isEmpty {
                    doubt()
                } else if let announcement = Announcement(parsing: text) {
                    hear(announcement)
                }
            }, doubt: doubt)
    }

    /// Nil for a text that nobody with the master key wrote, for one that was heard before, and for this node's own.
    private func opened(_ line: Substring) -> String? {
        guard let sealed = Base64URL.decode(line),
            let opened = try? sender.sealer.open(sealed, context: Self.context)
        else { return nil }
        let parts = String(decoding: opened.bytes, as: UTF8.self)
            .split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] != sender.node, let number = Int64(parts[1]), let time = Int64(parts[2])
        else { return nil }
        let sent = Timestamp(milliseconds: time)
        let now = sender.clock.now
        guard sent >= now - Self.longest, sent <= now + Self.longest else { return nil }
        let isNew = heard.withLock { heard in
            let node = String(parts[0])
            guard number > heard[node] ?? 0 else { return false }
            // A node that is forgotten could be repeated for the rest of the longest way.
            if heard.count >= Self.nodes, heard[node] == nil { heard = [:] }
            heard[node] = number
            return true
        }
        return isNew ? String(parts[3]) : nil
    }
}

extension ServerSettings {
    /// Link to the nodes of the same store. A file has one server at a time (ServingLock).
    func link(_ sealer: any Sealer) throws -> any NodeLink {
        switch store {
        case .file: NoOtherNodes()
        case .postgreSQL(let address): try StoreLink(PostgreSQLConfiguration(address), sealer, clock: SystemClock())
        }
    }

    /// Name of this node, by which it finds its leases. One that starts again with another name waits until they end.
    var nodeName: String { store.isFile ? "server" : "node-" + Hex.encode(SystemRandom().bytes(8)) }
}
