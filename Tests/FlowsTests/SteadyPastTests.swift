import Flows
import Primitives
import TestSupport
import Testing

@Suite("A clock that jumps makes no used entry usable again")
struct SteadyPastTests {
    private let clock = ManualClock()

    private func end(_ past: inout SteadyPast) -> Timestamp? { past.end(now: clock.now, uptime: clock.uptime) }

    @Test("RFC 7523 3: a used assertion stays stored although the clock jumped a day ahead")
    func jumpAhead() {
        var past = SteadyPast(now: clock.now, uptime: clock.uptime)
        clock.advance(by: .seconds(1000))
        let steady = clock.now - .seconds(60)
        #expect(end(&past) == steady)
        clock.jump(by: .seconds(90_000))
        #expect(end(&past) == steady)
        clock.jump(by: .seconds(-90_000))
        #expect(end(&past) == steady)
        clock.advance(by: .seconds(10))
        #expect(end(&past) == steady + .seconds(10))
    }

    @Test("A clock that is set back is followed at once, and one that was behind is not caught up with")
    func setBack() {
        var past = SteadyPast(now: clock.now, uptime: clock.uptime)
        clock.advance(by: .seconds(1000))
        clock.jump(by: .seconds(-300))
        let behind = clock.now - .seconds(60)
        #expect(end(&past) == behind)
        clock.jump(by: .seconds(300))
        #expect(end(&past) == behind)
    }

    @Test("A process that began with a clock that is ahead forgets nothing until all used before it has ended")
    func wrongAtStart() {
        clock.jump(by: .seconds(90_000))
        var past = SteadyPast(now: clock.now, uptime: clock.uptime)
        #expect(end(&past) == nil)
        clock.advance(by: .seconds(599))
        #expect(end(&past) == nil)
        clock.jump(by: .seconds(-90_000))
        clock.advance(by: .seconds(1))
        #expect(end(&past) == clock.now - .seconds(60))
    }
}
