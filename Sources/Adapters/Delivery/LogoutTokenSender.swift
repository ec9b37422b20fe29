public import Flows
public import HTTPModel
import Primitives

/// Posts logout tokens to clients (OIDC Back-Channel Logout 1.0, 2.5).
public struct LogoutTokenSender: LogoutNotifier {
    public struct Refused: Error, CustomStringConvertible {
        public let status: Int
        public var description: String { "answered \(status)" }
    }

    private let http: any HTTPClient

    public init(http: any HTTPClient) { self.http = http }

    public func notify(_ url: String, logoutToken: String) async throws {
        let form = FormFields([("logout_token", logoutToken)])
        let answer = try await http.send(
            ClientRequest(
                method: .post, url: url, fields: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array(form.encoded.utf8), timeout: .seconds(5)))
        guard answer.status == 200 || answer.status == 204 else { throw Refused(status: answer.status) }
    }
}
