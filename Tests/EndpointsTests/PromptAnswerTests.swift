import AuthorizationCore
import Endpoints
import HTTPModel
import Primitives
import TestSupport
import Testing

/// Most requests are polls of requests that this node knows to be pending. They must not cost a task: that is what
/// these tests would notice, as the answer is the same either way.
@Suite("Polls that are answered at once")
struct PromptAnswerTests {
    private func poll(
        _ client: InProcessClient, _ id: String, _ changes: [String: String?] = [:], fields: HTTPFields = [:]
    ) -> Request {
        .form(
            "/oauth/token", client.pollParameters(id).merging(changes) { _, changed in changed }, fields: fields)
    }

    @Test("CIBA Core 11: a poll of a request that this node stored takes no task, and neither does slow_down")
    func pending() async throws {
        let stage = try await Stage()
        let request = poll(stage.client, stage.authReqID)
        for error in ["authorization_pending", "slow_down"] {
            let response = try stage.server.application.answerAtOnce(request).orThrow("left to a task: \(error)")
            let answer = await HTTPAnswer(response)
            #expect(answer.status == 400)
            #expect(answer["error"]?.stringValue == error)
        }
    }

    @Test("Whatever else is asked, or wrong, is left to a task")
    func others() async throws {
        let stage = try await Stage { setup in
            setup.clients.append(Samples.client("bound") { $0.bindsTokensToCertificate = true })
        }
        let (client, id) = (stage.client, stage.authReqID)
        let bound = InProcessClient("bound", via: stage.server)
        let requests = [
            poll(client, id, ["client_secret": "wrong"]),
            poll(client, id, fields: ["Prefer": "wait=5"]),
            poll(client, "unknown"),
            poll(client, id, ["grant_type": "client_credentials"]),
            poll(bound, try await bound.started()),
        ]
        for request in requests { #expect(stage.server.application.answerAtOnce(request) == nil) }
    }
}
