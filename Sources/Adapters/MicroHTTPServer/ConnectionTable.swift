import Primitives
import Synchronization

/// The open connections by socket, and their number per network.
///
/// No network takes all places. The last eighth of them is for networks with few connections. While connections stand
/// on that eighth, those that wait for their clients end, of the largest networks first.
final class ConnectionTable: Sendable {
    private struct State {
        var connections: [Int32: Connection] = [:]
        var perNetwork: [CountedAddress: Int] = [:]
        /// Sockets that no event thread has taken up.
        var arriving: Set<Int32> = []

        mutating func remove(_ socket: Int32) {
            arriving.remove(socket)
            guard let connection = connections.removeValue(forKey: socket) else { return }
            let key = connection.address.key
            perNetwork[key] = perNetwork[key].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    private let state = Mutex(State())
    private let limit: Int
    private let limitPerNetwork: Int
    /// Places for networks with few connections.
    private let reserve: Int
    /// Most connections of a network with few.
    private let few: Int

    init(limits: HTTPLimits) {
        limit = limits.connections
        limitPerNetwork = limits.connectionsPerAddress
        reserve = limits.connections / 8
        few = limits.connections / 64
    }

    /// Adds a connection. Returns false if there is no place for it.
    func add(_ connection: Connection) -> Bool {
        state.withLock { state in
            // The library may have dropped a connection without notice. Its socket's number is then free again.
            state.remove(connection.socket)
            let network = state.perNetwork[connection.address.key, default: 0]
            // A proxy's connections are those of many networks, which the proxy limits.
            let isWithinShare =
                connection.address.isProxy
                || network < limitPerNetwork && (network < few || state.connections.count < limit - reserve)
            guard state.connections.count < limit, isWithinShare else { return false }
            state.connections[connection.socket] = connection
            state.perNetwork[connection.address.key] = network + 1
            state.arriving.insert(connection.socket)
            return true
        }
    }

    func remove(_ socket: Int32) { state.withLock { $0.remove(socket) } }

    /// The connection that an event thread takes up. Nil if the socket is unknown.
    func takeUp(_ socket: Int32) -> Connection? {
        state.withLock { state in
            state.arriving.remove(socket)
            return state.connections[socket]
        }
    }

    var count: Int { state.withLock { $0.connections.count } }

    /// Connections that no event thread has taken up.
    var arriving: Int { state.withLock { $0.arriving.count } }

    var all: [Connection] { state.withLock { Array($0.connections.values) } }

    /// Connections that make room, the first ones rather: as many as stand on reserved places, but only those that wait
    /// for their clients. A proxy's are spared, because it may be about to use one.
    func surplus() -> [Connection] {
        let (connections, perNetwork) = state.withLock { state in
            state.connections.count > limit - reserve
                ? (Array(state.connections.values), state.perNetwork) : ([], [:])
        }
        guard !connections.isEmpty else { return [] }
        let waiting = connections.filter { $0.isWaitingForClient && !$0.address.isProxy }
            .map { (size: perNetwork[$0.address.key] ?? 0, deadline: $0.deadline, connection: $0) }
            .sorted { ($1.size, $0.deadline) < ($0.size, $1.deadline) }
        // Those that were ended before leave the table once their event thread sees it.
        let staying = connections.count { $0.phase != .ended }
        return waiting.prefix(max(0, staying - (limit - reserve))).map(\.connection)
    }
}
