import Synchronization

/// A bucket of requests for each key, which refills evenly within a minute. Soft state of one node, so no right depends
/// on it.
package final class RateLimit<Key: Hashable & Sendable>: Sendable {
    package struct Usage: Sendable {
        package let limit: Int
        package let remaining: Int
        /// Time at which the bucket is full again, in seconds since 1970. Some SDKs wait for it before they retry.
        package let reset: Int64
        package let isExceeded: Bool
        /// Seconds in which one more request fits.
        package var wait: Int { max(1, (60 + limit - 1) / limit) }
    }

    /// Used part of the limit.
    private struct Bucket {
        var used = 0.0
        var at: Timestamp
        /// Time at which the bucket is full again. From then on it says no more than a missing one.
        var end: Timestamp
    }

    /// Maximum buckets. Beyond it full buckets are dropped, and all of them if too many remain.
    private static var bucketLimit: Int { 10_000 }

    private let buckets = Mutex<[Key: Bucket]>([:])

    package init() {}

    /// Counts a request, unless the minute's `limit` is reached.
    package func count(_ key: Key, limit requests: Int, now: Timestamp) -> Usage {
        let limit = Double(requests)
        let (used, isExceeded) = buckets.withLock { buckets in
            if buckets.count >= Self.bucketLimit {
                buckets = buckets.filter { $0.value.end > now }
                if buckets.count >= Self.bucketLimit / 2 { buckets = [:] }
            }
            var bucket = buckets[key] ?? Bucket(at: now, end: now)
            let passed = max(0, Double(now.milliseconds - bucket.at.milliseconds) / 1000)
            bucket.used = max(0, bucket.used - passed * limit / 60)
            // Requests that take their time are counted out of their order. Each would refill the same moments again. A clock
            // that was set back by more must not stop the bucket.
            if now > bucket.at || bucket.at - now > .seconds(60) { bucket.at = now }
            let isExceeded = bucket.used + 1 > limit
            if !isExceeded { bucket.used += 1 }
            bucket.end = now + .milliseconds((bucket.used * 60_000 / limit).rounded(.up))
            buckets[key] = bucket
            return (bucket.used, isExceeded)
        }
        return Usage(
            limit: requests, remaining: Int(limit - used),
            reset: now.seconds + Int64((used * 60 / limit).rounded(.up)), isExceeded: isExceeded)
    }
}
