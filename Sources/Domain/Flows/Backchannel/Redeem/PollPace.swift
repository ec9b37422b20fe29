import AuthorizationCore
import OAuthWire
import Primitives
import Synchronization

/// What this node knows of the requests that are polled: how fast (CIBA Core 7.3 and 11), and that they were pending
/// when it last looked, so that most polls need not ask the store. Soft state, lost without harm.
///
/// Every poll that comes too early adds five seconds to the wait, as RFC 8628 clause 3.5 has it; one poll that waited
/// long enough takes the penalty back, because clients that fall back to the first interval would otherwise
/// alternate between pending and slow down without end.
///
/// A decision is told with `forget` after it was committed. What a poll read from the store before that is not
/// remembered afterwards, because the shard's `decisions` have grown meanwhile.
package final class PollPace: Sendable {
    package enum Verdict: Sendable, Equatable {
        case inTime
        /// Seconds until the next poll may come.
        case slowDown(interval: Int)
    }

    /// A poll that this node could not answer by itself; holds what it needs to remember the store's answer.
    struct Miss {
        fileprivate let decisions: UInt64
    }

    enum Outcome {
        /// The request is pending, until it expires.
        case pending(Verdict, expiresAt: Timestamp)
        case unknown(Miss)
    }

    /// How early a poll may come after a wait of `seconds`: clocks and networks are not exact. A fifth of short waits,
    /// so that no interval is without a pace.
    static func tolerance(of seconds: Int) -> Duration { min(.seconds(1), .milliseconds(seconds * 200)) }
    static let penalty: UInt8 = 5
    static let longestInterval = 60
    /// How long the store's answer is believed. Decisions are told at once; this bounds what a lost word could do.
    static let trust = Duration.seconds(300)
    /// Requests remembered by one of the shards; beyond it all of them are asked for again.
    static let shardLimit = 65_536

    /// A node may hold a million: its size shows.
    private struct Entry {
        /// Whose request it is.
        let owner: ClientIdentity
        let expiresAt: Timestamp
        var believedUntil: Timestamp
        var last: Timestamp
        /// The last poll that was read and answered "pending" from here.
        var fingerprint: PollFingerprint?
        /// Seconds on top of the interval.
        var penalty: UInt8 = 0
        let interval: Int32

        init(
            _ owner: ClientIdentity, expiresAt: Timestamp, interval: Int, believedUntil: Timestamp, last: Timestamp
        ) {
            self.owner = owner
            self.expiresAt = expiresAt
            self.interval = Int32(clamping: interval)
            self.believedUntil = believedUntil
            self.last = last
        }

        private func isBelieved(_ now: Timestamp) -> Bool { now < expiresAt && now < believedUntil }

        private var longest: Int { max(Int(interval), PollPace.longestInterval) }

        private func isEarly(_ now: Timestamp) -> Bool {
            let wait = min(Int(interval) + Int(penalty), longest)
            return now - last < .seconds(wait) - PollPace.tolerance(of: wait)
        }

        /// Records a poll by `owner`; nil, with nothing recorded, where the store has to be asked.
        mutating func poll(by owner: ClientIdentity, _ now: Timestamp) -> Outcome? {
            guard isBelieved(now), self.owner == owner else { return nil }
            return .pending(poll(now), expiresAt: expiresAt)
        }

        mutating func poll(_ now: Timestamp) -> Verdict {
            let early = isEarly(now)
            penalty = early ? min(penalty + PollPace.penalty, UInt8(PollPace.longestInterval)) : 0
            last = now
            return early ? .slowDown(interval: min(Int(interval) + Int(penalty), longest)) : .inTime
        }

        /// Records a poll that is in time and the same as the remembered one; false, with nothing recorded, for any other.
        mutating func poll(repeating fingerprint: PollFingerprint, _ now: Timestamp) -> Bool {
            guard self.fingerprint == fingerprint, isBelieved(now), !isEarly(now) else { return false }
            penalty = 0
            last = now
            return true
        }
    }

    private struct Shard {
        var entries: [AuthReqIDHash: Entry] = [:]
        var sweepAt = 1024
        /// Grows with every decision that concerns the shard.
        var decisions: UInt64 = 0

        /// Makes room where there is none: first of requests that are over, then of all.
        mutating func sweep(_ now: Timestamp) {
            guard entries.count >= sweepAt else { return }
            entries = entries.filter { $0.value.expiresAt > now }
            if entries.count >= PollPace.shardLimit { entries = [:] }
            sweepAt = max(1024, min(entries.count * 2, PollPace.shardLimit))
        }
    }

    private final class ShardBox: Sendable {
        let state = Mutex(Shard())
    }

    private let shards = (0..<16).map { _ in ShardBox() }

    package init() {}

    private func shard(of hash: AuthReqIDHash) -> ShardBox { shards[hash.sixteenth] }

    /// Records a poll of a request that is known to be pending.
    func poll(_ hash: AuthReqIDHash, by owner: ClientIdentity, now: Timestamp) -> Outcome {
        shard(of: hash).state.withLock { shard in
            // In its place: taking the entry out to look at it would count its references up and down.
            guard let place = shard.entries.index(forKey: hash),
                let outcome = shard.entries.values[place].poll(by: owner, now)
            else { return .unknown(Miss(decisions: shard.decisions)) }
            return outcome
        }
    }

    /// Records a poll of a request that is known to be pending, where it is the same poll, in time, as one that
    /// `remember` was told of; false for any other.
    func poll(_ hash: AuthReqIDHash, repeating fingerprint: PollFingerprint, now: Timestamp) -> Bool {
        shard(of: hash).state.withLock { shard in
            guard let place = shard.entries.index(forKey: hash) else { return false }
            return shard.entries.values[place].poll(repeating: fingerprint, now)
        }
    }

    /// Remembers a poll whose client was proven, and which was answered "pending".
    func remember(_ fingerprint: PollFingerprint, of hash: AuthReqIDHash) {
        shard(of: hash).state.withLock { shard in
            guard let place = shard.entries.index(forKey: hash) else { return }
            shard.entries.values[place].fingerprint = fingerprint
        }
    }

    /// Records a poll that found its request pending in the store, after `miss`.
    func poll(
        _ hash: AuthReqIDHash, by owner: ClientIdentity, found polled: PolledRequest, after miss: Miss, now: Timestamp
    ) -> Verdict {
        shard(of: hash).state.withLock { shard in
            shard.sweep(now)
            var entry = shard.entries[hash]
            let verdict = entry?.poll(now) ?? .inTime
            if entry == nil {
                entry = Entry(
                    owner, expiresAt: polled.expiresAt, interval: polled.interval, believedUntil: now, last: now)
            }
            if shard.decisions == miss.decisions { entry?.believedUntil = now + Self.trust }
            shard.entries[hash] = entry
            return verdict
        }
    }

    /// What must be asked before a request is stored, so that `started` can tell whether it was decided meanwhile.
    func beforeStart(of hash: AuthReqIDHash) -> Miss {
        shard(of: hash).state.withLock { Miss(decisions: $0.decisions) }
    }

    /// Remembers a request that was stored after `miss`. Its first poll may come at once.
    func started(
        _ hash: AuthReqIDHash, _ request: BackchannelRequest, by owner: ClientIdentity, after miss: Miss
    ) {
        let now = request.createdAt
        shard(of: hash).state.withLock { shard in
            shard.sweep(now)
            guard shard.decisions == miss.decisions else { return }
            shard.entries[hash] = Entry(
                owner, expiresAt: request.expiresAt, interval: request.interval, believedUntil: now + Self.trust,
                last: now - .seconds(3600))
        }
    }

    /// Forgets a request that was decided or answered for good. Called after the commit.
    package func forget(_ hash: AuthReqIDHash) {
        shard(of: hash).state.withLock { shard in
            shard.decisions &+= 1
            shard.entries[hash] = nil
        }
    }
}
