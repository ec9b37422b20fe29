import Pages
import Testing

@Suite("Addresses of pages")
struct PageURLTests {
    @Test(
        "Allowed links, and their sources in a policy",
        arguments: [
            ("/u/login?state=a%20b#x", nil), ("?state=x", nil), ("#problems", nil), ("/", nil),
            ("https://app.example", "https://app.example"), ("HTTPS://App.Example/a?b", "https://app.example"),
            ("http://127.0.0.1:4711/cb", "http://127.0.0.1:4711"), ("http://[::1]:80/cb", "http:"),
            ("https://a_b.example:8443", "https://a_b.example:8443"),
        ] as [(String, String?)])
    func accepted(text: String, source: String?) throws {
        let url = try #require(PageURL(text))
        #expect(url.text == text)
        #expect(url.policySource == source)
        #expect(url.isWeb)
    }

    @Test(
        "Forbidden links",
        arguments: [
            "", "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)",
            "data:text/html,x", "vbscript:x", "blob:https://a/b", "//evil.example", "/\\evil.example", "\\\\evil",
            "https://user@evil.example", "https://a.example;script-src", "https://", "https:/a", "https:a",
            "https://a b", "https://a:port/", "https://a:123456/", "https://[::1", "https://[x]/", "https://[::1]x/",
            "relative", "com.example.app:/callback", "/a\"b", "/a<b", "/é", "/a\nb", "1a:b", ":", "https://a,b/",
            "https://*/", "https://*.example/",
        ])
    func refused(text: String) {
        #expect(PageURL(text) == nil)
    }

    @Test("RFC 8252 7.1: a private-use scheme is allowed by name")
    func privateUse() throws {
        let url = try #require(PageURL("Com.Example.App:/callback", schemes: ["com.example.app"]))
        #expect(url.policySource == "com.example.app:")
        #expect(!url.isWeb)
        for scheme in ["javascript", "data", "vbscript", "blob", "file", "about"] {
            #expect(PageURL("\(scheme):x", schemes: [scheme]) == nil)
        }
    }

    @Test("An address made of parts stays on this server")
    func parts() {
        #expect(PageURL(path: "/u/login").text == "/u/login")
        #expect(PageURL(path: "//evil.example").text == "/evil.example")
        #expect(PageURL(path: "/\\evil").text == "/evil")
        #expect(PageURL(path: "a b?c#d%\u{E9}\"").text == "/a%20b%3fc%23d%25%c3%a9%22")
        #expect(PageURL(path: "/a", query: [("st", "x&y=\"z"), ("é", "")]).text == "/a?st=x%26y%3D%22z&%C3%A9=")
    }
}
