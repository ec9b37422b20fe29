import Argon2Passwords
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Argon2id")
struct Argon2Tests {
    private static let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)

    private func hasher(
        _ parameters: Argon2Parameters = cheap, threads: Int = 1, queueLimit: Int = 64
    ) throws -> Argon2PasswordHasher {
        try Argon2PasswordHasher(
            parameters: parameters, random: SystemRandom(), threads: threads, queueLimit: queueLimit)
    }

    @Test("A password verifies against its own hash only")
    func roundTrip() async throws {
        let hasher = try hasher()
        for password in ["correct horse", "", "pässwörd \u{1F511}", "nul\u{0}byte"] {
            let encoded = try await hasher.hash(Password(password))
            #expect(encoded.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$"))
            #expect(try await hasher.verify(Password(password), against: encoded) == .prepared)
            #expect(try await hasher.verify(Password(password + "x"), against: encoded) == .none)
            #expect(try await hasher.hash(Password(password)) != encoded)
        }
    }

    @Test("Test vector of the reference implementation")
    func vector() async throws {
        let encoded =
            "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        #expect(try await hasher().verify(Password("password"), against: encoded) == .prepared)
        #expect(try await hasher().verify(Password("Password"), against: encoded) == .none)
    }

    @Test(
        "A malformed or too costly hash is an error and is never computed",
        arguments: [
            "", "$", "plain", "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$", "$argon2id$v=19$m=64,t=1$c29tZXNhbHQ$AAAA",
            "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=19$m=4294967295,t=1,p=1$c29tZXNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=19$m=64,t=4294967295,p=1$c29tZXNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=19$m=64,t=1,p=100$c29tZXNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=19$m=-64,t=1,p=1$c29tZXNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAA$x",
            "$2b$12$abcdefghijklmnopqrstuv",
        ])
    func malformed(encoded: String) async throws {
        await #expect(throws: Argon2PasswordHasher.Failure.malformedHash) {
            try await hasher().verify(Password("x"), against: encoded)
        }
        #expect(try hasher().needsRehash(encoded))
    }

    @Test("A hash with other costs needs a new hash")
    func needsRehash() async throws {
        let encoded = try await hasher().hash(Password("x"))
        #expect(try !hasher().needsRehash(encoded))
        #expect(try hasher(Argon2Parameters()).needsRehash(encoded))
    }

    @Test("Requests beyond the queue's limit are refused temporarily; the others are served")
    func admission() async throws {
        let hasher = try hasher(Argon2Parameters(memory: 4096, passes: 2, lanes: 1), threads: 2, queueLimit: 3)
        let outcomes = await withTaskGroup(of: Argon2PasswordHasher.Failure?.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    do {
                        _ = try await hasher.hash(Password("x"))
                        return nil
                    } catch {
                        return error as? Argon2PasswordHasher.Failure
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 == nil }.count >= 5)
        #expect(outcomes.contains(.busy))
        #expect(outcomes.allSatisfy { $0 == nil || $0 == .busy })
        #expect(try await hasher.hash(Password("x")).isEmpty == false)
    }

    @Test("Costs out of range and too long passwords are refused")
    func limits() async throws {
        #expect(throws: Argon2PasswordHasher.Failure.parameters) { try hasher(Argon2Parameters(memory: 0)) }
        #expect(throws: Argon2PasswordHasher.Failure.parameters) { try hasher(Argon2Parameters(passes: 0)) }
        #expect(throws: Argon2PasswordHasher.Failure.parameters) { try hasher(Argon2Parameters(memory: 8, lanes: 2)) }
        let endless = Password(String(repeating: "a", count: 4097))
        await #expect(throws: Argon2PasswordHasher.Failure.passwordLength) { try await hasher().hash(endless) }
        let encoded = try await hasher().hash(Password("x"))
        #expect(try await hasher().verify(endless, against: encoded) == .none)
    }
}
