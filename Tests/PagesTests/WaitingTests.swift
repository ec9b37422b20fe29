import HTTPModel
import TestSupport
import Testing

@testable import Pages

@Suite("Pages that wait")
struct WaitingTests {
    private let frame: PageFrame = {
        var frame = Samples().frame
        func address(_ wait: [(String, String)]) -> PageURL {
            PageURL(path: "/u/approve", query: [("id", "a&b")] + wait)
        }
        frame.waiting = Waiting(
            page: address([]), polled: address([("wait", "polled")]), followed: address([("wait", "1")]))
        return frame
    }()

    @Test("A script asks in the background, so that the tab loads nothing; without scripts, the browser follows")
    func both() throws {
        let root = try Markup.read(Samples.loggedOut.html(in: frame))
        let head = try #require(root.all("head").first)
        let script = try #require(head.all("script").first)
        #expect(root.all("script").count == 1 && script.children.isEmpty)
        #expect(script["src"] == Samples.assets.waitingScript.path)
        #expect(script["data-page"] == "/u/approve?id=a%26b")
        #expect(script["data-polled"] == "/u/approve?id=a%26b&wait=polled")
        let withoutScripts = try #require(head.all("noscript").first?.all("meta").first)
        #expect(root.all("noscript").count == 1)
        #expect(withoutScripts["http-equiv"] == "refresh")
        #expect(withoutScripts["content"] == "1; url=/u/approve?id=a%26b&wait=1")
    }

    @Test("CSP 3: the policy allows scripts and connections of this server, on pages that wait alone")
    func policy() throws {
        func policy(_ frame: PageFrame) throws -> String {
            try #require(Samples.loggedOut.response(in: frame).fields["Content-Security-Policy"])
        }
        let added = ["script-src 'self'", "connect-src 'self'"]
        for directive in added {
            #expect(try policy(frame).contains(directive))
            #expect(try !policy(Samples().frame).contains(directive))
        }
        #expect(try Markup.read(Samples.loggedOut.html(in: Samples().frame)).all("script").isEmpty)
    }
}
