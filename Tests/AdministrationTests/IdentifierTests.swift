import AuthorizationCore
import Primitives
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    /// Gives the same byte always.
    private struct Constant: RandomSource {
        let byte: UInt8

        func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
    }

    @Test("No identifier, ticket, code or secret looks like a command-line option", arguments: UInt8.min...UInt8.max)
    func noOptions(byte: UInt8) {
        let random = Constant(byte: byte)
        let made = [
            Identifiers.signingKey(random).rawValue, Identifiers.client(random).rawValue,
            Identifiers.device(random).rawValue, Identifiers.role(random).rawValue, Identifiers.user(random).rawValue,
            Identifiers.clientCredential(random).rawValue, Identifiers.session(random).rawValue,
            Identifiers.authorization(random).rawValue, Identifiers.handle(random), Identifiers.ticket(random),
            Identifiers.authReqID(random, at: Timestamp(seconds: 1_767_225_600)),
            String(decoding: Identifiers.clientSecret(random).bytes, as: UTF8.self),
        ]
        for text in made { #expect(text.first?.isLetter == true || text.first?.isNumber == true, "\(text)") }
    }
}
