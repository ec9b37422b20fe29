import Flows
package import HTTPModel
package import Primitives
import Tracing

/// Posts logout tokens to clients (OIDC Back-Channel Logout 1.0, 2.5).
package struct LogoutTokenSender: LogoutNotifier {
    private let http: any OutgoingHTTPClient
    private let clock: any WallClock

    package init(http: any OutgoingHTTPClient, clock: any WallClock) {
        self.http = http
        self.clock = clock
    }

    package func notify(_ url: String, logoutToken: String) async throws {
        let form = FormFields([("logout_token", logoutToken)])
        var fields: HTTPFields = ["Content-Type": "application/x-www-form-urlencoded"]
        // Clients are the tenant's own. No push service, provider or mail server gets the field.
        if let trace = Tracer.current { fields.append("traceparent", trace.traceparent) }
        let answer: ClientResponse
        do throws(HTTPClientError) {
            answer = try await http.send(
                ClientRequest(
                    method: .post, url: url, fields: fields,
                    body: Array(form.encoded.utf8), timeout: .seconds(5)))
        } catch {
            throw LogoutNotSent(reason: LogoutNotSent.unreachable, detail: "\(url): \(error)")
        }
        guard answer.status == 200 || answer.status == 204 else {
            throw LogoutNotSent(
                reason: "answered \(answer.status)", detail: "\(url) answered \(answer.status)",
                retryAfter: [429, 503].contains(answer.status) ? answer.retryAfter(now: clock.now) : nil)
        }
    }
}
