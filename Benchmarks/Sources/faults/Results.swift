import Synchronization

/// Values that clients got, for the questions after the run.
final class Results: Sendable {
    struct Flow: Sendable {
        var authReqID: String
        /// Refresh tokens by number.
        var tokens: [Int: String] = [:]
    }

    private let state = Mutex<[Int: Flow]>([:])

    var flows: [Int: Flow] { state.withLock(\.self) }

    func started(_ flow: Int, _ id: String) { state.withLock { $0[flow] = Flow(authReqID: id) } }

    func token(_ flow: Int, _ number: Int, _ token: String) { state.withLock { $0[flow]?.tokens[number] = token } }

    /// The refresh tokens of a flow, by number. Later calls return none.
    func takeTokens(of flow: Int) -> [Int: String]? {
        state.withLock { flows in
            defer { flows[flow]?.tokens = [:] }
            return flows[flow]?.tokens
        }
    }
}
