import CCurl
package import HTTPModel
package import Primitives

extension ClientResponse {
    /// Time at which the server wrote the answer (RFC 9110 clause 6.6.1). Nil without a readable `Date`.
    package var date: Timestamp? {
        guard let value = fields["Date"] else { return nil }
        let seconds = curl_getdate(value, nil)
        return seconds < 0 ? nil : Timestamp(seconds: Int64(seconds))
    }
}
