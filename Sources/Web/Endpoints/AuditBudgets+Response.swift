package import Audit
package import HTTPModel
import OAuthWire
package import Routing

extension AuditBudgets.Exceeded: ResponseError {
    package var logDetail: String? { nil }

    package func response(in style: ErrorStyle, to request: Request) -> Response {
        OAuthError.tooManyRequests(
            limit: limit, retryAfter: retryAfter, now: now,
            "More than \(limit) such requests within a minute. Try again in \(retryAfter) seconds."
        ).response(in: style, to: request)
    }
}
