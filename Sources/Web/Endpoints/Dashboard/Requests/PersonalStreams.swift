import AuthorizationCore
import Synchronization

/// The open event streams of persons. One person has few of them, so that a browser with many tabs takes nobody's places.
final class PersonalStreams: Sendable {
    private static let limit = 4

    private struct State {
        var last = 0
        /// In the order in which they began.
        var streams: [UserID: [(number: Int, bytes: AsyncStream<[UInt8]>.Continuation)]] = [:]
    }

    private let state = Mutex(State())

    /// Number of open streams of a person.
    func count(of user: UserID) -> Int { state.withLock { $0.streams[user]?.count ?? 0 } }

    /// The newest displaces the oldest beyond the limit.
    func begin(_ user: UserID, _ bytes: AsyncStream<[UInt8]>.Continuation) -> Int {
        let (number, displaced) = state.withLock { state in
            state.last += 1
            let streams = (state.streams[user] ?? []) + [(state.last, bytes)]
            state.streams[user] = Array(streams.suffix(Self.limit))
            return (state.last, Array(streams.dropLast(Self.limit)))
        }
        for stream in displaced { stream.bytes.finish() }
        return number
    }

    func end(_ number: Int, _ user: UserID) {
        state.withLock { state in
            state.streams[user]?.removeAll { $0.number == number }
            if state.streams[user]?.isEmpty == true { state.streams[user] = nil }
        }
    }
}
