import CCurl
import HTTPModel
import Primitives

extension HTTPFields {
    /// Wait that `Retry-After` names in seconds or as a date (RFC 9110 clause 10.2.3). Nil without a readable one.
    func retryAfter(now: Timestamp) -> Duration? {
        guard let value = self["Retry-After"] else { return nil }
        if let seconds = UInt32(value) { return .seconds(seconds) }
        let date = curl_getdate(value, nil)
        return date < 0 ? nil : Swift.max(.zero, Timestamp(seconds: Int64(date)) - now)
    }
}
