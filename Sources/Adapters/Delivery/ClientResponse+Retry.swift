import CCurl
import HTTPModel
import Primitives

extension ClientResponse {
    /// True for a status after which another try may help: a time-out, too early or too many requests, or a server's
    /// error.
    static func mayPass(status: Int) -> Bool { [408, 425, 429].contains(status) || status >= 500 }

    /// Wait that `Retry-After` names in seconds or as a date (RFC 9110 clause 10.2.3). Nil without a readable one.
    func retryAfter(now: Timestamp) -> Duration? {
        guard let value = fields["Retry-After"] else { return nil }
        if let seconds = UInt32(value) { return .seconds(seconds) }
        let date = curl_getdate(value, nil)
        return date < 0 ? nil : max(.zero, Timestamp(seconds: Int64(date)) - now)
    }
}
