import AuthorizationCore
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    @Test("No identifier looks like a command-line option")
    func noOptions() {
        for _ in 0..<500 {
            let made = [
                Identifiers.signingKey(SystemRandom()).rawValue, Identifiers.client(SystemRandom()).rawValue,
                Identifiers.device(SystemRandom()).rawValue, Identifiers.role(SystemRandom()).rawValue,
                Identifiers.clientCredential(SystemRandom()).rawValue,
            ]
            for identifier in made { #expect(identifier.first?.isLetter == true || identifier.first?.isNumber == true) }
        }
    }
}
