import AuthorizationCore
import Flows
import HTTPModel
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

/// A server whose client `agent` leads people to the approval page alone, and whose client `phones` notifies phones.
/// Ann and Bob have passwords.
struct ApprovalPageFixture {
    let logins: AttackFixture
    var server: InProcessServer { logins.server }
    let client: InProcessClient

    init(_ change: (inout InProcessServer.Setup) throws -> Void = { _ in }) async throws {
        logins = try await AttackFixture { setup in
            setup.clients += [
                Samples.client("agent") { client in
                    client.notificationChannels = [.page]
                    client.name = "Shopping agent"
                }, Samples.client("phones"),
            ]
            setup.apis = [try Samples.resourceServer()]
            try change(&setup)
        }
        client = InProcessClient(via: logins.server)
    }

    func browser(_ host: String = InProcessServer.host) -> InProcessBrowser { InProcessBrowser(server, host: host) }

    /// Starts a request for Ann, and returns it with its page.
    func started(
        _ changes: [String: String?] = [:], from other: String = "agent"
    ) async throws -> (authReqID: String, page: String) {
        let answer = try await InProcessClient(other, via: server).start(changes)
        return (
            try (answer["auth_req_id"]?.stringValue).orThrow("\(answer.text)"),
            try (answer["approval_uri"]?.stringValue).orThrow("no approval_uri")
        )
    }

    /// Opens the page, logs in if it has to, and returns where the browser is then.
    func open(
        _ page: String, in browser: InProcessBrowser, as email: String = AttackFixture.ann
    ) async throws -> InProcessBrowser.Page {
        let shown = try await browser.open(page)
        guard shown.path == "/u/login" else { return shown }
        return try await browser.send(
            shown.form("/u/login"), ["username": email, "password": AttackFixture.password])
    }

    /// The form with the two buttons, which comes first.
    func form(_ page: InProcessBrowser.Page) throws -> InProcessBrowser.Form { try page.form("/u/approve") }

    func poll(_ authReqID: String) async throws -> String {
        server.clock.advance(by: .seconds(10))
        let answer = try await client.poll(authReqID)
        return answer.status == 200 ? "tokens" : answer.code ?? ""
    }

    func states() async throws -> [Int] {
        try await server.database.query("SELECT state FROM backchannel_request ORDER BY sequence") { try $0.int(0) }
    }
}
