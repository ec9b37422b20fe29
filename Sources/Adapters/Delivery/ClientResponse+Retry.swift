import CCurl
import HTTPModel
import Primitives

extension ClientResponse {
    /// True for a status after which another try may help: a time-out, too early or too many requests, or a server's
    /// error.
    static func mayPass(status: Int) -> Bool { [408, 425, 429].contains(status) || status >= 500 }

    /// Longest wait that counts. No message waits longer for its service.
    private static let longestWait = Duration.seconds(86_400)

    /// Wait that `Retry-After` names in seconds or as a date (RFC 9110 clause 10.2.3), at most a day. Nil without a
    /// readable one.
    func retryAfter(now: Timestamp) -> Duration? {
        guard let value = fields["Retry-After"] else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More digits than fit are a longer wait, too.
            return UInt32(value).map { min(.seconds($0), Self.longestWait) } ?? Self.longestWait
        }
        let date = curl_getdate(value, nil)
        return date < 0 ? nil : min(max(.zero, Timestamp(seconds: Int64(date)) - now), Self.longestWait)
    }
}
