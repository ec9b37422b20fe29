import Histories
import Testing

@Suite("The checker of histories")
struct CheckerTests {
    private static let second: UInt64 = 1_000_000_000

    /// One event a second, in the order in which they stand here.
    private static func history(
        _ acts: [(Event.Act, Event.Outcome)], audit: [AuditedEntry] = [], troubles: [Trouble] = []
    ) -> History {
        let events = acts.enumerated().map { number, act in
            Event(
                actor: "somebody", flow: 7, act: act.0, outcome: act.1, sent: UInt64(number) * second,
                ended: UInt64(number) * second + second / 2)
        }
        return History(events: events, troubles: troubles, audit: audit, persons: [7: "hanna"])
    }

    private static func rules(_ history: History) -> [Checker.Rule] { Checker(history).violations.map(\.rule) }

    private static let read = (Event.Act.read(consent: "c"), Event.Outcome.done)
    private static let asked: [(Event.Act, Event.Outcome)] = [(.start, .done), read]
    private static let allowed = asked + [(.decide(allows: true), .done)]
    private static let whole = allowed + [(.redeem(isHeld: true), .done), (.rotate(0), .done), (.rotate(1), .done)]

    @Test(
        "A history that acknowledged acts and acts without an answer permit is accepted",
        arguments: [
            whole,
            // An old token is refused, which ends the family.
            whole + [(.rotate(1), .refused("invalid_grant")), (.rotate(2), .refused("invalid_grant"))],
            // The start was not acknowledged, and took place.
            [(.start, .unknown("closed")), read, (.decide(allows: true), .done)],
            [(.start, .unknown("closed"))],
            [(.start, .undone("503"))],
            // The first answer was lost, and the second says so.
            asked + [(.decide(allows: true), .unknown("closed")), (.decide(allows: true), .refused("decided"))],
            asked + [(.decide(allows: true), .unknown("closed")), (.redeem(isHeld: true), .done)],
            allowed + [
                (.redeem(isHeld: false), .unknown("closed")), (.redeem(isHeld: false), .refused("invalid_grant")),
            ],
            allowed + [(.redeem(isHeld: false), .unknown("closed")), (.redeem(isHeld: false), .done)],
            allowed + [(.redeem(isHeld: false), .pending), (.redeem(isHeld: false), .done)],
            asked + [(.decide(allows: false), .done), (.redeem(isHeld: false), .denied)],
            whole + [(.rotate(2), .unknown("closed")), (.rotate(2), .refused("invalid_grant"))],
            whole + [(.decide(allows: false), .refused("decided"))],
        ])
    func accepted(acts: [(Event.Act, Event.Outcome)]) {
        #expect(Self.rules(Self.history(acts)) == [])
    }

    @Test(
        "Each rule has a history that breaks it",
        arguments: [
            (Checker.Rule.answers, whole + [(.redeem(isHeld: false), .broken("500"))]),
            // Known to nobody, though acknowledged.
            (.starts, asked + [(.redeem(isHeld: false), .refused("invalid_grant"))]),
            (.starts, asked + [(.decide(allows: true), .refused("not_found"))]),
            (.starts, asked + [(.decide(allows: true), .undone("503")), (.decide(allows: true), .refused("decided"))]),
            (.inventions, [(.start, .undone("503")), read]),
            (.deliveries, [(.start, .done)]),
            (.keys, asked + [(.read(consent: "other"), .done)]),
            (.decisions, allowed + [(.decide(allows: false), .done)]),
            (.decisions, allowed + [(.decide(allows: true), .done)]),
            (.outcomes, asked + [(.redeem(isHeld: false), .done)]),
            (.outcomes, asked + [(.decide(allows: true), .undone("503")), (.redeem(isHeld: false), .done)]),
            (.outcomes, asked + [(.decide(allows: false), .done), (.redeem(isHeld: false), .done)]),
            (.outcomes, allowed + [(.redeem(isHeld: false), .denied)]),
            (.outcomes, allowed + Array(repeating: (.redeem(isHeld: false), .pending), count: 12)),
            (.redemptions, whole + [(.redeem(isHeld: false), .done)]),
            (.rotations, whole + [(.rotate(2), .refused("invalid_grant"))]),
            (.rotations, whole + [(.rotate(1), .done)]),
        ] as [(Checker.Rule, [(Event.Act, Event.Outcome)])])
    func broken(rule: Checker.Rule, acts: [(Event.Act, Event.Outcome)]) {
        #expect(Set(Self.rules(Self.history(acts))) == [rule])
    }

    private static let entries = [
        AuditedEntry(.started, "c"), AuditedEntry(.allowed, "c"), AuditedEntry(.redeemed, "c"),
        AuditedEntry(.rotated, "hanna"), AuditedEntry(.rotated, "hanna"),
    ]

    @Test("The audit log has each acknowledged change once: neither none nor two, nor one that nobody made")
    func audit() {
        #expect(Self.rules(Self.history(Self.whole, audit: Self.entries)) == [])
        for index in Self.entries.indices {
            var (fewer, more) = (Self.entries, Self.entries)
            fewer.remove(at: index)
            more.append(Self.entries[index])
            #expect(Self.rules(Self.history(Self.whole, audit: fewer)) == [.audit], "without \(Self.entries[index])")
            #expect(Self.rules(Self.history(Self.whole, audit: more)) == [.audit], "twice \(Self.entries[index])")
        }
        let rejected = AuditedEntry(.rejected, "c")
        #expect(Self.rules(Self.history(Self.whole, audit: Self.entries + [rejected])) == [.audit])
        // One without an answer may be in the log.
        let open = Self.asked + [(Event.Act.decide(allows: true), Event.Outcome.unknown("closed"))]
        let started = AuditedEntry(.started, "c")
        #expect(Self.rules(Self.history(open, audit: [started])) == [])
        #expect(Self.rules(Self.history(open, audit: [started, AuditedEntry(.allowed, "c")])) == [])
    }

    /// A client that is held from the first second on, and hears the decision of the second one at some time.
    private static func held(until heard: UInt64, troubles: [Trouble] = []) -> History {
        var history = history(allowed, troubles: troubles)
        history.events.append(
            Event(
                actor: "client", flow: 7, act: .redeem(isHeld: true), outcome: .done, sent: 2 * second, ended: heard))
        return history
    }

    @Test("A held client hears of an answer 2 seconds after it, or after the end of the faults that came in between")
    func held() {
        let decided = 2 * Self.second + Self.second / 2
        #expect(Self.rules(Self.held(until: decided + 2 * Self.second)) == [])
        #expect(Self.rules(Self.held(until: decided + 2 * Self.second + 1)) == [.held])
        let trouble = Trouble(name: "stall", began: decided, recovered: decided + 5 * Self.second)
        #expect(Self.rules(Self.held(until: decided + 7 * Self.second, troubles: [trouble])) == [])
        #expect(Self.rules(Self.held(until: decided + 7 * Self.second + 1, troubles: [trouble])) == [.held])
        let over = Trouble(name: "stall", began: 0, recovered: decided)
        #expect(Self.rules(Self.held(until: decided + 3 * Self.second, troubles: [over])) == [.held])
    }

    @Test("The longest time without an answer counts answers of a working server alone")
    func silence() {
        let history = Self.history([
            (.start, .done), (.redeem(isHeld: false), .undone("503")), (.redeem(isHeld: false), .broken("500")),
            (.redeem(isHeld: false), .pending), (.redeem(isHeld: false), .done),
        ])
        #expect(history.longestSilence() == 3 * Self.second)
        #expect(history.longestSilence(from: 4 * Self.second, until: 5 * Self.second) == Self.second)
        #expect(history.complaints(from: 0, until: 9 * Self.second) == ["503": 1, "500": 1])
    }

    @Test("A violation is shown with the history of its flow")
    func text() {
        let history = Self.history(Self.asked)
        #expect(
            history.text(of: 7) == """
                  0.000 to 0.500  somebody: start → done
                  1.000 to 1.500  somebody: read(consent: "c") → done

                """)
        #expect(history.text(of: 8).isEmpty)
    }
}
