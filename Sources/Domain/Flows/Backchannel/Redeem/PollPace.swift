public import Primitives
import Synchronization

/// How fast each request is polled (CIBA Core 7.3 and 11): soft state of one node, lost without harm.
///
/// Every poll that comes too early adds five seconds to the wait, as RFC 8628 clause 3.5 has it; one poll that waited
/// long enough takes the penalty back, because clients that fall back to the first interval would otherwise
/// alternate between pending and slow down without end.
public final class PollPace: Sendable {
    public enum Verdict: Sendable, Equatable {
        case inTime
        /// Seconds until the next poll may come.
        case slowDown(interval: Int)
    }

    /// What a poll may be early without being told off.
    static let tolerance = Duration.seconds(1)
    static let penalty = 5
    static let longestInterval = 60

    private struct Entry {
        var last: Timestamp
        /// Seconds on top of the request's interval.
        var penalty: Int32
        /// Seconds since 1970, after which the request is over and the entry useless.
        var expiry: Int64
    }

    private struct Shard {
        var entries: [AuthReqIDHash: Entry] = [:]
        var sweepAt = 1024
    }

    private let shards: [ShardBox]

    private final class ShardBox: Sendable {
        let state = Mutex(Shard())
    }

    public init() { shards = (0..<16).map { _ in ShardBox() } }

    /// Records a poll that found its request pending.
    public func poll(_ hash: AuthReqIDHash, interval: Int, expiresAt: Timestamp, now: Timestamp) -> Verdict {
        shards[Int(hash.bytes.last ?? 0) & 15].state.withLock { shard in
            if shard.entries.count >= shard.sweepAt {
                shard.entries = shard.entries.filter { $0.value.expiry > now.seconds }
                shard.sweepAt = max(1024, shard.entries.count * 2)
            }
            guard var entry = shard.entries[hash] else {
                shard.entries[hash] = Entry(last: now, penalty: 0, expiry: expiresAt.seconds)
                return .inTime
            }
            let needed = min(interval + Int(entry.penalty), max(interval, Self.longestInterval))
            let early = now - entry.last < .seconds(needed) - Self.tolerance
            entry.penalty = early ? min(entry.penalty + Int32(Self.penalty), Int32(Self.longestInterval)) : 0
            entry.last = now
            shard.entries[hash] = entry
            guard early else { return .inTime }
            return .slowDown(interval: min(interval + Int(entry.penalty), max(interval, Self.longestInterval)))
        }
    }

    /// Forgets a request that was answered for good.
    public func forget(_ hash: AuthReqIDHash) {
        shards[Int(hash.bytes.last ?? 0) & 15].state.withLock { _ = $0.entries.removeValue(forKey: hash) }
    }
}
