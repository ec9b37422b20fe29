package import Primitives
import Synchronization

/// A bucket of requests for each key, which fills again evenly within a minute. Soft state of one node: a limit against
/// who runs wild, which nothing depends on.
package final class RateLimit<Key: Hashable & Sendable>: Sendable {
    package struct Standing: Sendable {
        package let limit: Int
        package let remaining: Int
        /// When the bucket is full again, in seconds since 1970: some SDKs wait for it before they repeat a request.
        package let reset: Int64
        package let isExceeded: Bool
    }

    /// Requests that are not yet made good for.
    private struct Bucket {
        var used = 0.0
        var at: Timestamp
    }

    /// Buckets that are kept before those that are full again are dropped, and all where that leaves too many: then
    /// there are so many keys that a limit for each limits little.
    private static var bucketLimit: Int { 10_000 }

    private let buckets = Mutex<[Key: Bucket]>([:])

    package init() {}

    /// Counts one more request, unless there were `limit` within a minute.
    package func count(_ key: Key, limit requests: Int, now: Timestamp) -> Standing {
        let limit = Double(requests)
        let (used, isExceeded) = buckets.withLock { buckets in
            if buckets.count >= Self.bucketLimit {
                buckets = buckets.filter { now.seconds - $0.value.at.seconds < 60 }
                if buckets.count >= Self.bucketLimit / 2 { buckets = [:] }
            }
            var bucket = buckets[key] ?? Bucket(at: now)
            let passed = max(0, Double(now.milliseconds - bucket.at.milliseconds) / 1000)
            bucket.used = max(0, bucket.used - passed * limit / 60)
            bucket.at = now
            let isExceeded = bucket.used + 1 > limit
            if !isExceeded { bucket.used += 1 }
            buckets[key] = bucket
            return (bucket.used, isExceeded)
        }
        return Standing(
            limit: requests, remaining: Int(limit - used),
            reset: now.seconds + Int64((used * 60 / limit).rounded(.up)), isExceeded: isExceeded)
    }
}
