import Primitives
@testable import SMTPTransport
import Testing

@Suite("Logins that a mail server refused")
struct RestingLoginsTests {
    private func account(_ password: String, host: String = "mail.example") throws -> SMTPTransport.Configuration {
        let from = try #require(MailAddress("login@dev.example"))
        var configuration = try #require(SMTPTransport.Configuration(url: "smtp://\(host)", from: from))
        configuration.user = "me"
        configuration.password = SecretBytes(utf8: password)
        return configuration
    }

    @Test("A refused login rests for 60 to 300 seconds. One mail tests it then, and others wait for its outcome.")
    func rests() throws {
        var logins = RestingLogins()
        let wrong = try account("wrong")
        var now = ContinuousClock.now
        #expect(logins.admit(wrong, now: now) == .usual)
        logins.noteRefusal(of: wrong, .usual, now: now)
        // A mail that was in flight at the same time.
        logins.noteRefusal(of: wrong, .usual, now: now)
        for seconds in [60, 120, 240, 300, 300] {
            #expect(logins.admit(wrong, now: now + .seconds(seconds - 1)) == .resting)
            now += .seconds(seconds)
            #expect(logins.admit(wrong, now: now) == .probe)
            #expect(logins.admit(wrong, now: now) == .resting)
            logins.noteRefusal(of: wrong, .probe, now: now)
        }
        now += .seconds(300)
        #expect(logins.admit(wrong, now: now) == .probe)
        logins.noteNothing(of: wrong, .probe)
        #expect(logins.admit(wrong, now: now) == .probe, "the first one proved nothing")
        logins.noteAcceptance(of: wrong)
        #expect(logins.admit(wrong, now: now) == .usual)
    }

    @Test("Another password, and the same on another server, are used at once")
    func others() throws {
        var logins = RestingLogins()
        let now = ContinuousClock.now
        logins.noteRefusal(of: try account("wrong"), .usual, now: now)
        #expect(try logins.admit(account("right"), now: now) == .usual)
        #expect(try logins.admit(account("wrong", host: "other.example"), now: now) == .usual)
        #expect(try logins.admit(account("wrong"), now: now) == .resting)
    }
}
