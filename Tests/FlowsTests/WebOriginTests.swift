import OAuthWire
import Testing

@Suite("RFC 6454 clause 6.2: origins as browsers spell them")
struct WebOriginTests {
    @Test(
        "Valid origins, and the form in which browsers send them",
        arguments: [
            ("https://app.example.com", "https://app.example.com"),
            ("HTTPS://App.Example.com:443", "https://app.example.com"),
            ("https://app.example.com:8443", "https://app.example.com:8443"),
            ("http://localhost:3000", "http://localhost:3000"), ("http://127.0.0.1:80", "http://127.0.0.1"),
            ("http://[::1]:08080", "http://[::1]:8080"),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
            ("capacitor://localhost", "capacitor://localhost"),
        ])
    func registered(text: String, sent: String) {
        #expect(WebOrigin(registering: text)?.description == sent)
    }

    @Test(
        "Invalid and untrusted origins are refused",
        arguments: [
            "", "https", "https://", "app.example.com", "https://app.example.com/", "https://app.example.com/path",
            "https://app.example.com?a=b", "https://app.example.com#a", "https://*.example.com", "*", "null",
            "https://user@app.example.com", "https://app.example.com:", "https://app.example.com:65536",
            "https://app.example.com:0", "https://app.example.com:80a", "https://:443", "https://a\\b", "https://a%2fb",
            "http://app.example.com", "javascript://a", "file:///", "data:text/html", "com.example.app:/callback",
            "https://bücher.example", "https://a.example https://b.example",
        ])
    func refused(text: String) {
        #expect(WebOrigin(registering: text) == nil)
    }

    @Test("A redirect URI of a page has an origin, one of an app has none")
    func redirects() throws {
        for (text, origin) in [
            ("https://App.example:443/a?b", "https://app.example"), ("http://127.0.0.1/callback", "http://127.0.0.1"),
            ("com.example.app:/callback", nil), ("capacitor://localhost/done", nil),
        ] {
            #expect(WebOrigin(of: try #require(RedirectURI(registering: text)))?.description == origin)
        }
    }
}
