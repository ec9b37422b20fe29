import PostgreSQLCluster
import PostgreSQLDriver
import SQL
import Synchronization
import Testing

@Suite("PostgreSQL: notifications", .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
struct NotificationTests {
    private let made: PostgreSQLCluster.Database

    init() throws { made = try PostgreSQLCluster.started.makeDatabase() }

    /// A node that writes down what it hears.
    private final class Node: Sendable {
        let notifications: PostgreSQLNotifications
        private let heard = Mutex<[String]>([])
        private let doubts = Mutex(0)

        init(_ configuration: PostgreSQLConfiguration) throws {
            notifications = try PostgreSQLNotifications(configuration) { "lost" }
        }

        func listening() -> Task<Void, Never> {
            Task {
                await notifications.listen { [self] text in
                    heard.withLock { $0.append(String(text)) }
                } doubt: { [self] in
                    doubts.withLock { $0 += 1 }
                }
            }
        }

        func awaitDoubts(_ count: Int) async {
            while doubts.withLock({ $0 }) < count, !Task.isCancelled { await Task.yield() }
        }

        func awaitText(_ text: String) async {
            while !heard.withLock({ $0.contains(text) }), !Task.isCancelled { await Task.yield() }
        }

        func awaitTexts(_ count: Int) async -> [String] {
            while true {
                let texts = heard.withLock { $0 }
                if texts.count >= count || Task.isCancelled { return texts }
                await Task.yield()
            }
        }
    }

    @Test("All other nodes hear each text once, in order", .timeLimit(.minutes(1)))
    func heard() async throws {
        let configuration = try made.configuration
        let nodes = try (0..<3).map { _ in try Node(configuration) }
        let work = nodes.map { $0.listening() }
        for node in nodes { await node.awaitDoubts(1) }
        // Longer than one notification, with quotes and other characters.
        let texts = (0..<2000).map { "\($0) é'\"\\ \(String(repeating: "x", count: $0 % 300))" }
        for text in texts { nodes[0].notifications.send(text) }
        for node in nodes.dropFirst() { #expect(await node.awaitTexts(texts.count) == texts) }
        nodes[1].notifications.send("answer")
        #expect(await nodes[0].awaitTexts(1) == ["answer"])
        for task in work {
            task.cancel()
            await task.value
        }
    }

    @Test("A text without room is lost, and the others are told", .timeLimit(.minutes(1)))
    func tooLong() async throws {
        let nodes = [try Node(try made.configuration), try Node(try made.configuration)]
        let work = nodes.map { $0.listening() }
        for node in nodes { await node.awaitDoubts(1) }
        nodes[0].notifications.send(String(repeating: "x", count: 8000))
        nodes[0].notifications.send("after")
        #expect(await nodes[1].awaitTexts(2).sorted() == ["after", "lost"])
        for task in work {
            task.cancel()
            await task.value
        }
    }

    @Test("After a lost connection, the node doubts, and the others are told", .timeLimit(.minutes(1)))
    func reconnected() async throws {
        let nodes = [try Node(try made.configuration), try Node(try made.configuration)]
        var work = [nodes[0].listening()]
        await nodes[0].awaitDoubts(1)
        let database = try PostgreSQLDatabase(try made.configuration)
        let processes = try await database.query(
            "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
        ) { try $0.int64(0) }
        work.append(nodes[1].listening())
        await nodes[1].awaitDoubts(1)
        for process in processes {
            _ = try await database.write {
                try $0.exists("SELECT pg_terminate_backend(CAST(\(process) AS integer))")
            }
        }
        await nodes[0].awaitDoubts(2)
        await nodes[1].awaitText("lost")
        nodes[0].notifications.send("again")
        await nodes[1].awaitText("again")
        await database.close()
        for task in work {
            task.cancel()
            await task.value
        }
    }
}
