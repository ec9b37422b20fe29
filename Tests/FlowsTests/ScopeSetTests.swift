import OAuthWire
import Testing

@Suite("Scope sets")
struct ScopeSetTests {
    @Test("RFC 6749 3.3: each scope once, in the order asked, however many there are", arguments: [3, 16, 17, 200])
    func eachOnce(count: Int) throws {
        let tokens = (0..<count).map { "scope\($0)" }
        let repeated = tokens + tokens.reversed() + ["further"] + tokens
        #expect(ScopeSet(repeated).tokens == tokens + ["further"])
        #expect(try ScopeSet(parsing: repeated.joined(separator: " ")) == ScopeSet(repeated))
    }

    @Test("a filter keeps the order")
    func filter() {
        let scope = ScopeSet(["openid", "read:orders", "offline_access"])
        #expect(scope.filter { $0 != "read:orders" }.description == "openid offline_access")
        #expect(scope.filter { _ in false }.isEmpty)
    }
}
