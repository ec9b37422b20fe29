@testable import Delivery
import Primitives
import TestSupport
import Testing

@Suite("Messages to a service that is silent or asked for a pause")
struct ServiceAdmissionTests {
    private let admission = ServiceAdmission<String>()
    private let now = Samples.start

    @Test("RFC 9110 10.2.3: the pause that a service names is its own, so that no message is sent until then")
    func rest() {
        #expect(admission.admit("busy", now: now) == .admitted)
        #expect(admission.admit("busy", now: now) == .admitted)
        admission.finished("busy", answered: true, rest: .seconds(30), now: now)
        #expect(admission.admit("busy", now: now + .seconds(1)) == .resting(.seconds(29)))
        #expect(admission.admit("other", now: now + .seconds(1)) == .admitted)
        // An answer to a message that was on its way shortens nothing.
        admission.finished("busy", answered: true, now: now + .seconds(2))
        #expect(admission.admit("busy", now: now + .seconds(29)) == .resting(.seconds(1)))
        #expect(admission.admit("busy", now: now + .seconds(30)) == .admitted)
    }

    @Test("One message asks again after the rest, and the others follow its answer")
    func probe() {
        #expect(admission.admit("busy", now: now) == .admitted)
        admission.finished("busy", answered: true, rest: .seconds(30), now: now)
        let later = now + .seconds(30)
        #expect(admission.admit("busy", now: later) == .admitted)
        #expect(admission.admit("busy", now: later) == .silent)
        admission.finished("busy", answered: true, now: later)
        for _ in 0..<3 { #expect(admission.admit("busy", now: later) == .admitted) }
    }

    @Test("The longest pause counts, for ten minutes at most, and a clock that was set back ends it")
    func bounds() {
        for _ in 0..<2 { #expect(admission.admit("busy", now: now) == .admitted) }
        admission.finished("busy", answered: true, rest: .seconds(86_400), now: now)
        admission.finished("busy", answered: true, rest: .seconds(1), now: now)
        #expect(admission.admit("busy", now: now + .seconds(1)) == .resting(.seconds(599)))
        #expect(admission.admit("busy", now: now - .seconds(1)) == .admitted)
    }

    @Test("A service that does not answer gets one message at a time")
    func silent() {
        for _ in 0..<2 { #expect(admission.admit("down", now: now) == .admitted) }
        admission.finished("down", answered: false, now: now)
        #expect(admission.admit("down", now: now) == .silent)
        admission.finished("down", answered: nil, now: now)
        #expect(admission.admit("down", now: now) == .admitted)
        admission.finished("down", answered: true, now: now)
        for _ in 0..<2 { #expect(admission.admit("down", now: now) == .admitted) }
    }
}
