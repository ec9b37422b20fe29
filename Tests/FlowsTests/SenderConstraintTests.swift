import AuthorizationCore
import OAuthWire
import Primitives
import Testing

@Suite("Tokens that are bound to their sender")
struct SenderConstraintTests {
    private let certificate = SenderConstraint.certificate([UInt8](repeating: 0xFB, count: 32))

    @Test("RFC 8705 3.1: cnf has the certificate's SHA-256 in base64url, and reads back")
    func confirmation() {
        #expect(certificate.confirmation == ["x5t#S256": "-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s"])
        #expect(SenderConstraint(certificate.confirmation) == certificate)
        for unbound: JSONValue? in [nil, [:], ["x5t#S256": 1], ["x5t#S256": "!"], ["jkt": "a"]] {
            #expect(SenderConstraint(unbound) == nil)
        }
    }

    @Test("A bound token needs its proof among those of the request, and an unbound one needs none")
    func proofs() {
        let other = SenderConstraint.certificate([1])
        let bound: SenderConstraint? = certificate
        let unbound: SenderConstraint? = nil
        #expect(bound.isMet(by: [certificate]) && bound.isMet(by: [other, certificate]))
        #expect(!bound.isMet(by: [other]) && !bound.isMet(by: []))
        #expect(unbound.isMet(by: []) && unbound.isMet(by: [other]))
    }

    @Test("RFC 8705 3: a token that is bound to a certificate is sent as a bearer token")
    func type() {
        #expect(SenderConstraint?.none.tokenType == .bearer && SenderConstraint?.some(certificate).tokenType == .bearer)
    }
}
