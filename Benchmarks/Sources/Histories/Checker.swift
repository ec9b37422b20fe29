/// Judges a run by its histories alone: whatever was acknowledged must hold, and nothing may happen twice.
///
/// An act without an answer may have been done or not. Everything that follows from both is accepted.
package struct Checker {
    /// Rules, as people read them.
    package enum Rule: String, CaseIterable, Sendable {
        case answers = "a server without its store answers 503 with Retry-After"
        case starts = "an acknowledged start is known to all nodes"
        case inventions = "nothing comes of a start that was refused"
        case deliveries = "an acknowledged start reaches the person's phone"
        case keys = "a repeated start is one request"
        case decisions = "a request is decided at most once"
        case outcomes = "a client hears what the person decided"
        case redemptions = "a request is redeemed at most once"
        case rotations = "of a family, the newest refresh token alone works"
        case audit = "the audit log has each acknowledged change exactly once"
        case held = "a held client hears its decision within 2 seconds"
    }

    package struct Violation: Sendable, Equatable, CustomStringConvertible {
        package let rule: Rule
        /// Nil for a violation of several flows.
        package let flow: Int?
        package let text: String

        package var description: String { "\(rule.rawValue): \(flow.map { "flow \($0) " } ?? "")\(text)" }
    }

    /// Nanoseconds within which a held client hears of a decision.
    package static let heardWithin: UInt64 = 2_000_000_000
    /// Nanoseconds for which a node may answer polls from memory, if the announcement of a decision was lost (docs/nodes.md).
    package static let rememberedFor: UInt64 = 10_000_000_000

    private let history: History
    private let counts: [AuditedEntry: Int]
    private let troubles: [Trouble]

    package init(_ history: History) {
        self.history = history
        counts = history.audit.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        troubles = history.troubles.sorted { $0.began < $1.began }
    }

    /// All violations, by flow.
    package var violations: [Violation] {
        let flows = Dictionary(grouping: history.events, by: \.flow)
        return flows.keys.sorted().flatMap { check(Flow($0, flows[$0] ?? [])) } + auditedRotations()
    }

    private func check(_ flow: Flow) -> [Violation] {
        var found: [Violation] = []
        func note(_ rule: Rule, _ text: String) { found.append(Violation(rule: rule, flow: flow.number, text: text)) }
        for event in flow.events {
            if case .broken(let answer) = event.outcome { note(.answers, "got \(answer)") }
        }
        start(flow, note)
        decision(flow, note)
        tokens(flow, note)
        rotations(flow, note)
        held(flow, note)
        if !history.audit.isEmpty { audited(flow, note) }
        return found
    }

    private typealias Note = (Rule, String) -> Void

    // MARK: rules of a flow

    private func start(_ flow: Flow, _ note: Note) {
        let (sure, open) = flow.count { $0 == .start }
        if sure + open == 0, !flow.consents.isEmpty { note(.inventions, "was refused, and a phone was asked") }
        if sure > 0, flow.consents.isEmpty { note(.deliveries, "was acknowledged, and no phone got it") }
        if flow.consents.count > 1 { note(.keys, "became \(flow.consents.count) requests") }
    }

    private func decision(_ flow: Flow, _ note: Note) {
        let accepted = flow.decisions.filter { $0.outcome == .done }
        if accepted.count > 1 { note(.decisions, "was decided \(accepted.count) times") }
        for event in flow.decisions {
            guard case .refused(let error) = event.outcome else { continue }
            let mayBeDecided = flow.decisions.contains {
                ($0.outcome == .done || $0.outcome.isOpen) && $0.sent < event.ended && $0 != event
            }
            if !mayBeDecided { note(.starts, "could not be decided: \(error)") }
        }
    }

    private func tokens(_ flow: Flow, _ note: Note) {
        let answers = flow.redemptions
        let given = answers.count { $0.outcome == .done }
        if given > 1 { note(.redemptions, "got tokens \(given) times") }
        for answer in answers {
            switch answer.outcome {
            case .done where !flow.mayBe(allowed: true): note(.outcomes, "got tokens, and nobody allowed it")
            case .denied where !flow.mayBe(allowed: false): note(.outcomes, "was denied, and nobody rejected it")
            case .pending:
                if let decided = flow.decided, answer.sent > decided.ended + Self.rememberedFor {
                    note(.outcomes, "is pending after its decision was acknowledged")
                }
            case .refused(let error):
                let mayBeOver = answers.contains {
                    ($0.outcome == .done || $0.outcome == .denied || $0.outcome.isOpen) && $0.sent < answer.ended
                        && $0 != answer
                }
                if !mayBeOver { note(.starts, "was answered \(error)") }
            default: break
            }
        }
    }

    private func rotations(_ flow: Flow, _ note: Note) {
        for case (let number, let event) in flow.rotations {
            let earlier = flow.rotations.filter { $0.event.sent < event.ended && $0.event != event }
            let sameBefore = earlier.filter { $0.number == number }
            switch event.outcome {
            case .done:
                if sameBefore.contains(where: { $0.event.outcome == .done && $0.event.ended < event.sent }) {
                    note(.rotations, "used token \(number) twice")
                }
            case .refused(let error):
                // A second use of an older token ends the family (RFC 9700 clause 4.14.2).
                let isEnded = earlier.contains { other in
                    flow.rotations.contains {
                        $0.number == other.number && $0.event != other.event && !other.event.outcome.isUndone
                            && !$0.event.outcome.isUndone && $0.event.sent < event.ended
                    }
                }
                let wasUsed = sameBefore.contains { $0.event.outcome == .done || $0.event.outcome.isOpen }
                if !wasUsed, !isEnded { note(.rotations, "has token \(number), which was answered \(error)") }
            default: break
            }
        }
    }

    private func held(_ flow: Flow, _ note: Note) {
        guard let decided = flow.decided,
            let heard = flow.redemptions.first(where: { $0.outcome == .done || $0.outcome == .denied }),
            heard.act == .redeem(isHeld: true), heard.ended > decided.ended
        else { return }
        // Each fault that began before the client had to hear it gives it time until its end.
        var from = max(decided.ended, heldSince(flow, heard))
        for trouble in troubles where trouble.began <= from + Self.heardWithin && trouble.recovered > from {
            from = trouble.recovered
        }
        guard heard.ended > from + Self.heardWithin else { return }
        note(.held, "heard its decision after \((heard.ended - from) / 1_000_000) ms")
    }

    /// Time since which the client was held without a break that was its own.
    private func heldSince(_ flow: Flow, _ heard: Event) -> UInt64 {
        let first = flow.redemptions.first { $0.act == .redeem(isHeld: true) }
        return first?.sent ?? heard.sent
    }

    // MARK: the audit log

    private func audited(_ flow: Flow, _ note: Note) {
        guard flow.consents.count == 1, let consent = flow.consents.first else { return }
        func require(_ kind: AuditedEntry.Kind, _ counted: (sure: Int, open: Int)) {
            let found = counts[AuditedEntry(kind, consent)] ?? 0
            let allowed = min(counted.sure, 1)...max(counted.sure, min(counted.sure + counted.open, 1))
            if !allowed.contains(found) { note(.audit, "has \(found) entries for \(kind)") }
        }
        require(.started, flow.count { $0 == .start })
        require(.allowed, flow.count { $0 == .decide(allows: true) })
        require(.rejected, flow.count { $0 == .decide(allows: false) })
        require(.redeemed, flow.count(isRedemption))
    }

    private func isRedemption(_ act: Event.Act) -> Bool { if case .redeem = act { true } else { false } }

    /// Entries of rotations name the person, and not the request.
    private func auditedRotations() -> [Violation] {
        guard !history.audit.isEmpty else { return [] }
        var counted: [String: (sure: Int, open: Int)] = [:]
        for event in history.events {
            guard case .rotate = event.act, let person = history.persons[event.flow] else { continue }
            if event.outcome == .done { counted[person, default: (0, 0)].sure += 1 }
            if event.outcome.isOpen { counted[person, default: (0, 0)].open += 1 }
        }
        return counted.keys.sorted().compactMap { person in
            guard let (sure, open) = counted[person] else { return nil }
            let found = counts[AuditedEntry(.rotated, person)] ?? 0
            guard !(sure...sure + open).contains(found) else { return nil }
            return Violation(
                rule: .audit, flow: nil,
                text: "\(person) has \(found) entries for \(sure) rotations and \(open) without an answer")
        }
    }
}

/// The events of one flow.
private struct Flow {
    let number: Int
    let events: [Event]
    let consents: Set<String>
    let decisions: [Event]
    let redemptions: [Event]
    let rotations: [(number: Int, event: Event)]

    init(_ number: Int, _ unordered: [Event]) {
        let events = unordered.sorted { $0.sent < $1.sent }
        self.number = number
        self.events = events
        consents = Set(
            events.compactMap { if case .read(let consent) = $0.act, $0.outcome == .done { consent } else { nil } })
        decisions = events.filter { if case .decide = $0.act { true } else { false } }
        redemptions = events.filter { if case .redeem = $0.act { true } else { false } }
        rotations = events.compactMap { if case .rotate(let number) = $0.act { (number, $0) } else { nil } }
    }

    /// The first decision that was acknowledged.
    var decided: Event? { decisions.first { $0.outcome == .done } }

    /// True if an acknowledged decision says so, or if there is none, one without an answer.
    func mayBe(allowed: Bool) -> Bool {
        if let decided { return decided.act == .decide(allows: allowed) }
        return decisions.contains { $0.act == .decide(allows: allowed) && $0.outcome.isOpen }
    }

    /// Acknowledged acts, and those without an answer.
    func count(_ isMeant: (Event.Act) -> Bool) -> (sure: Int, open: Int) {
        let meant = events.filter { isMeant($0.act) }
        return (meant.count { $0.outcome == .done }, meant.count { $0.outcome.isOpen })
    }
}

extension Event.Outcome {
    fileprivate var isUndone: Bool { if case .undone = self { true } else { false } }
}
