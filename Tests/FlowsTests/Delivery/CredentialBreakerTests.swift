import Flows
import Primitives
import TestSupport
import Testing

@Suite("Credentials that a service refused")
struct CredentialBreakerTests {
    private let breaker = CredentialBreaker<String>()

    @Test("Refused credentials rest for 60 to 300 seconds. One message tests them then, and others wait for it.")
    func rests() {
        var now = Samples.start
        #expect(breaker.admit("wrong", now: now) == .usual)
        breaker.report(.refused(reason: "first"), of: "wrong", admittedAs: .usual, now: now)
        // A message that was in flight at the same time.
        breaker.report(.refused(reason: "second"), of: "wrong", admittedAs: .usual, now: now)
        for seconds in [60, 120, 240, 300, 300] {
            #expect(breaker.admit("wrong", now: now + .seconds(seconds - 1)) == .resting(reason: "first"))
            now = now + .seconds(seconds)
            #expect(breaker.admit("wrong", now: now) == .probe)
            #expect(breaker.admit("wrong", now: now) == .waiting(reason: "first"))
            breaker.report(.refused(reason: "first"), of: "wrong", admittedAs: .probe, now: now)
        }
        now = now + .seconds(300)
        #expect(breaker.admit("wrong", now: now) == .probe)
        breaker.report(.nothing, of: "wrong", admittedAs: .probe, now: now)
        #expect(breaker.admit("wrong", now: now) == .probe, "the first one proved nothing")
        breaker.report(.accepted, of: "wrong", admittedAs: .probe, now: now)
        #expect(breaker.admit("wrong", now: now) == .usual)
    }

    @Test("Other credentials are used at once, and a clock that was set back ends the rest")
    func others() {
        breaker.report(.refused(reason: "no"), of: "wrong", admittedAs: .usual, now: Samples.start)
        #expect(breaker.admit("right", now: Samples.start) == .usual)
        #expect(breaker.admit("wrong", now: Samples.start) == .resting(reason: "no"))
        #expect(breaker.admit("wrong", now: Samples.start - .seconds(1)) == .probe)
    }
}
