import Glibc
import Histories
import Load
import Workbench

/// A client's work: flows of one person, one after the other.
final class AgentWork {
    /// Time for a whole flow, beyond which the client gives up.
    private static let patience: UInt64 = 90_000_000_000

    private let name: String
    private let person: String
    private let agent: Agent
    private let caller: Caller
    private let ledger: Ledger
    private let results: Results
    private let seed: UInt64
    /// Flows whose newest refresh token has yet to be tried again.
    private var untried: [Int] = []

    init(_ name: String, person: String, site: Site, ledger: Ledger, results: Results, random: SeededRandom) {
        self.name = name
        self.person = person
        agent = site.agent
        caller = Caller(port: site.port, random: random)
        self.ledger = ledger
        self.results = results
        seed = site.seed
    }

    func run() {
        while let flow = ledger.begin(person) {
            let fate = Fate(seed: seed, flow: flow)
            guard let id = start(flow, fate) else { continue }
            results.started(flow, id)
            if fate.isLeft {
                _ = redeem(flow, id, isHeld: false)
            } else if let token = tokens(flow, id, fate) {
                rotate(flow, token, times: fate.rotations)
                untried.append(flow)
            }
            if untried.count > Self.untriedLimit { tryAgain(untried.removeFirst()) }
        }
    }

    /// The server keeps the newest 200 families of a person at a client.
    private static let untriedLimit = 40

    private func tryAgain(_ flow: Int) {
        guard let tokens = results.takeTokens(of: flow) else { return }
        Self.tryTokens(tokens, of: flow, by: name, caller, agent, ledger)
    }

    /// Uses the newest refresh token of a family, and then the one before.
    static func tryTokens(
        _ tokens: [Int: String], of flow: Int, by name: String, _ caller: Caller, _ agent: Agent, _ ledger: Ledger
    ) {
        guard let newest = tokens.keys.max() else { return }
        for number in [newest, newest - 1] {
            guard let token = tokens[number] else { continue }
            let reply = caller.ask(agent.refresh(token))
            ledger.note(name, flow, .rotate(number), rotated(reply), reply)
        }
    }

    private func start(_ flow: Int, _ fate: Fate) -> String? {
        let key = fate.hasKey ? "flow-\(seed)-\(flow)" : nil
        let request = agent.start(
            user: person, expiry: 7200, message: Fate.message(flow), scope: "openid offline_access", key: key)
        let end = MonotonicClock.now + Self.patience
        repeat {
            let reply = caller.ask(request)
            if let complaint = reply.complaint {
                ledger.note(name, flow, .start, complaint, reply)
                rest(complaint)
                // Without a key, a repetition could be a second request. One that changed nothing is none.
                if case .undone = complaint { continue }
                if key == nil { return nil }
            } else if let id = reply.text("auth_req_id") {
                ledger.note(name, flow, .start, .done, reply)
                return id
            } else {
                // A refused start is a fault of this program, or of the server.
                ledger.note(name, flow, .start, .broken("\(reply.status): \(reply.json)"), reply)
                return nil
            }
        } while MonotonicClock.now < end
        return nil
    }

    /// The first refresh token.
    private func tokens(_ flow: Int, _ id: String, _ fate: Fate) -> String? {
        let end = MonotonicClock.now + Self.patience
        repeat {
            let (outcome, token) = redeem(flow, id, isHeld: fate.isHeld)
            switch outcome {
            case .done: return token
            case .denied, .refused: return nil
            case .pending: if !fate.isHeld { usleep(1_050_000) }
            case .undone, .unknown, .broken: rest(outcome)
            }
        } while MonotonicClock.now < end
        return nil
    }

    private func redeem(_ flow: Int, _ id: String, isHeld: Bool) -> (Event.Outcome, String?) {
        let reply = caller.ask(agent.poll(id.utf8, wait: isHeld ? 25 : nil), within: .seconds(60))
        let outcome = Self.redeemed(reply)
        ledger.note(name, flow, .redeem(isHeld: isHeld), outcome, reply)
        let token = outcome == .done ? reply.text("refresh_token") : nil
        if let token { results.token(flow, 0, token) }
        return (outcome, token)
    }

    static func redeemed(_ reply: Reply) -> Event.Outcome {
        if let complaint = reply.complaint { return complaint }
        if reply.status == 200 { return .done }
        switch reply.text("error") {
        case "authorization_pending", "slow_down": return .pending
        case "access_denied": return .denied
        case let error?: return .refused(error)
        case nil: return .broken("\(reply.status): \(reply.json)")
        }
    }

    private func rotate(_ flow: Int, _ first: String, times: Int) {
        var token = first
        for number in 0..<times {
            let reply = caller.ask(agent.refresh(token))
            let outcome = Self.rotated(reply)
            ledger.note(name, flow, .rotate(number), outcome, reply)
            guard outcome == .done, let next = reply.text("refresh_token") else {
                // A repetition could be taken for theft.
                if case .undone = outcome { continue }
                return
            }
            token = next
            results.token(flow, number + 1, token)
        }
    }

    static func rotated(_ reply: Reply) -> Event.Outcome {
        if let complaint = reply.complaint { return complaint }
        if reply.status == 200 { return .done }
        return reply.text("error").map { .refused($0) } ?? .broken("\(reply.status): \(reply.json)")
    }

    private func rest(_ outcome: Event.Outcome) {
        if case .undone = outcome { usleep(1_000_000) } else { usleep(UInt32(caller.milliseconds(50...250)) * 1000) }
    }
}
