import CountersignClient
import Foundation
import Testing

@Suite("Errors for people")
struct ErrorTextTests {
    private static let problems: [TokenProblem] = [
        .malformed, .algorithm("none"), .unknownKey, .signature, .type("JWT"), .type(nil), .issuer, .audience,
        .authorizedParty, .subject, .nonce, .authenticationTime, .accessTokenHash, .idToken, .unconfirmed("jkt"),
        .confirmationMethod("jwk"), .notBound, .expired, .notYetValid, .missing("exp"),
        .insufficientScope(missing: ["read"]), .insufficientPermissions(missing: ["read"]),
    ]
    private static let errors: [CountersignError] =
        [
            .expired, .userUnknown, .noEligibleDevice(description: "no phone"),
            .undelivered(description: "all failed"), .rateLimited(retryAfter: nil),
            .rateLimited(retryAfter: .seconds(9)), .invalidRequest("scope is empty"),
            .invalidBindingMessage("too long"), .invalidAuthorizationDetails("no type"),
            .clientRejected("wrong secret"), .network("no route"), .tls("not trusted. Name the CA."),
            .protocolViolation("no JSON"), .cancelled,
            .cancelledByUser, .accessDenied("no"), .loginRequired, .consentRequired, .interactionRequired,
            .authorizationFailed(code: "invalid_scope", description: "no such scope"), .stateMismatch,
            .issuerMismatch("https://evil.example/"), .issuerMismatch(nil), .loginAgain, .noBrowser("no display"),
            .storage("disk full"), .receiptInvalid(rule: "digest", "the digest is another"),
        ] + problems.map(CountersignError.tokenInvalid)

    @Test("Every error says in sentences what happened and, if possible, what to do next")
    func sentences() {
        let all: [any LocalizedError] = Self.errors + Self.problems
        for error in all {
            let text = error.localizedDescription
            #expect(text.hasSuffix(".") && text.first?.isUppercase == true, "\(text)")
            #expect(text.hasSuffix(error.recoverySuggestion ?? ""), "\(text)")
            #expect(!text.contains("..") && !text.contains("  "), "\(text)")
            #expect(!text.contains("CountersignError") && !text.contains("TokenProblem"), "\(text)")
        }
    }

    @Test("A refused token is reported with the reason and what to change")
    func token() {
        #expect(
            CountersignError.tokenInvalid(.unconfirmed("x5t#S256")).localizedDescription
                == "The token is not valid: it is bound to a key or certificate (x5t#S256) that the caller did not prove. "
                + "Pass the caller's proven certificate or key in proofs.")
        #expect(CountersignError.tokenInvalid(.type("JWT")).localizedDescription.contains("Add it to dialects"))
        #expect(CountersignError.denied(reason: nil).recoverySuggestion == nil)
    }
}
