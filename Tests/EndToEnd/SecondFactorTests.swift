import CurlTransport
import GuardianWire
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Second factor") struct SecondFactorTests {
        @Test(
            "multi_factor always: a user without a phone enrols one at the login, is asked on it, and CIBA reaches it")
        func always() async throws {
            let server = try await TestServer.start { server in
                server.loginConfiguration(
                    settings: ["multi_factor": "always"],
                    clients: [TestServer.agent])
            }
            let (app, agent) = (try LoginApp(server), try Agent(server))
            let browser = try WebBrowser(server)
            #expect(try await agent.start("Too early").error == "invalid_request")

            let page = try await browser.logIn(app.link(scope: "openid")).page()
            #expect(page.heading == "Add your phone")
            let code = try #require(page.links["Open the app"])
            let phone = try await TestPhone(user: 0, scanning: code, at: server)
            let waiting = try await browser.submit(page, "I have scanned it").page()
            #expect(waiting.heading == "Check your phone")

            var requests = try await phone.requests(over: agent.transport).makeAsyncIterator()
            let logIn = try #require(try await requests.next())
            let message = try await phone.consent(logIn, over: agent.transport).requestedDetails.bindingMessage
            let number = try #require(message?.split(separator: " ").last)
            #expect(waiting.text.contains("The request on your phone shows the number \(number)."))
            #expect(try await phone.decide(logIn, accept: true, over: agent.transport) == 204)
            let offer = try await browser.submit(waiting, "Continue").page()
            #expect(offer.heading == "Your phone may get lost")
            let callback = try await browser.submit(offer, "Later").callback()
            let answer = try await app.redeem(try #require(callback["code"]))
            let claims = try await app.identity(answer.json)
            #expect(claims["amr"]?.stringsValue?.contains("mfa") == true)

            let order = try await agent.started("Order 4711")
            let notified = try #require(try await requests.next())
            #expect(try await phone.decide(notified, accept: true, over: agent.transport) == 204)
            #expect(try await agent.poll(order).status == 200)
            await server.stop()
        }
    }
}
