import Primitives
import Synchronization

/// The open connections by socket, and their number per address.
final class ConnectionTable: Sendable {
    private struct State {
        var connections: [Int32: Connection] = [:]
        var perAddress: [CountedAddress: Int] = [:]

        mutating func remove(_ socket: Int32) {
            guard let connection = connections.removeValue(forKey: socket) else { return }
            let key = connection.address.key
            perAddress[key] = perAddress[key].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    private let state = Mutex(State())
    private let limit: Int
    private let limitPerAddress: Int

    init(limits: HTTPLimits) {
        limit = limits.connections
        limitPerAddress = limits.connectionsPerAddress
    }

    /// Adds a connection. Returns false if a limit is reached.
    func add(_ connection: Connection) -> Bool {
        state.withLock { state in
            // The library may have dropped a connection without notice. Its socket's number is then free again.
            state.remove(connection.socket)
            guard state.connections.count < limit,
                state.perAddress[connection.address.key, default: 0] < limitPerAddress
            else { return false }
            state.connections[connection.socket] = connection
            state.perAddress[connection.address.key, default: 0] += 1
            return true
        }
    }

    func remove(_ socket: Int32) { state.withLock { $0.remove(socket) } }

    func connection(on socket: Int32) -> Connection? { state.withLock { $0.connections[socket] } }

    var count: Int { state.withLock { $0.connections.count } }

    var all: [Connection] { state.withLock { Array($0.connections.values) } }
}
