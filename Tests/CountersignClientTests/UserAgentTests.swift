import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("A login through a user agent")
struct UserAgentTests {
    /// Returns the scripted redirect.
    private struct ScriptedAgent: UserAgent, PreparedRedirect {
        let uri = "app:/callback"
        let logoutReturn: URL? = nil
        let answer: @Sendable (URL, String) async throws(CountersignError) -> URL

        func prepare() async throws(CountersignError) -> any PreparedRedirect { self }
        func show(logout page: URL) async throws(CountersignError) {}
        func visit(_ page: URL, state: String) async throws(CountersignError) -> URL { try await answer(page, state) }
    }

    @Test("A user who gives up is an error of its own, and nothing is exchanged")
    func givenUp() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client(.publicClient)
        let agent = ScriptedAgent { _, _ throws(CountersignError) in throw .cancelledByUser }
        #expect(await failure { try await client.login(through: agent) } == .cancelledByUser)
        #expect(fixture.transport.sent("/oauth/token").isEmpty)
    }

    @Test("A login cancelled while the browser is open ends at once")
    func cancellation() async throws {
        let client = try ClientFixture().client(.publicClient)
        let (visits, shown) = AsyncStream.makeStream(of: Void.self)
        let login = Task {
            let browser = SystemBrowser { _ throws(CountersignError) in shown.yield() }
            return await failure { try await client.login(through: browser) }
        }
        for await _ in visits { break }
        login.cancel()
        #expect(await login.value == .cancelled)
    }
}
