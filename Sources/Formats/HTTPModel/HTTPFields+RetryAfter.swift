package import Primitives

extension HTTPFields {
    /// Wait that `Retry-After` names in seconds or as a date (RFC 9110 clause 10.2.3). Nil without a readable one.
    package func retryAfter(now: Timestamp) -> Duration? {
        guard let value = self["Retry-After"] else { return nil }
        if let seconds = UInt32(value), value.utf8.first != UInt8(ascii: "+") { return .seconds(seconds) }
        return Timestamp(httpDate: value, now: now).map { Swift.max(.zero, $0 - now) }
    }
}
