import Histories
import Load
import Primitives
import Workbench

/// Asks the nodes after the run, through their public interfaces alone.
struct Auditor {
    private static let threads = 4

    let site: Site
    let ledger: Ledger
    let results: Results

    /// Polls each request, tries the refresh tokens of each family that no client has tried again.
    func ask() throws {
        let flows = Array(results.flows)
        let (site, ledger) = (site, ledger)
        try withThreads(Self.threads) { thread in
            let caller = Caller(port: site.port, random: SeededRandom(seed: site.seed, stream: UInt64(thread) + 900))
            for index in stride(from: thread, to: flows.count, by: Self.threads) {
                Self.ask(flows[index].key, flows[index].value, caller, site.agent, ledger)
            }
        }
    }

    private static func ask(_ flow: Int, _ result: Results.Flow, _ caller: Caller, _ agent: Agent, _ ledger: Ledger) {
        let poll = caller.ask(agent.poll(result.authReqID.utf8))
        let outcome = AgentWork.redeemed(poll)
        ledger.note("auditor", flow, .redeem(isHeld: false), outcome, poll)
        AgentWork.tryTokens(result.tokens, of: flow, by: "auditor", caller, agent, ledger)
    }

    /// The audit log, after it was verified.
    func log(_ node: Node, persons: [String]) throws -> [AuditedEntry] {
        let verified = try Self.json(try node.command(["log", "verify", "--json"]))
        guard verified["valid"] == true else { throw Failure("the audit log is not whole: \(verified)") }
        let kinds: [(String, AuditedEntry.Kind)] = [
            ("ciba_start_succeeded", .started), ("gd_auth_succeed", .allowed),
            ("gd_auth_rejected", .rejected),
            ("ciba_exchange_succeeded", .redeemed), ("sertft", .rotated),
        ]
        var entries: [AuditedEntry] = []
        for person in persons {
            for (type, kind) in kinds {
                let printed = try node.command([
                    "log", "list", "--json", "--limit", "10000", "--tenant", "faults", "--type", type, "--user", person,
                ])
                for entry in try Self.json(printed).arrayValue ?? [] {
                    let subject = kind == .rotated ? person : entry["details"]?["transaction_linking_id"]?.stringValue
                    entries.append(AuditedEntry(kind, subject ?? ""))
                }
            }
        }
        return entries
    }

    private static func json(_ text: String) throws -> JSONValue {
        do { return try JSONReader.parse(Array(text.utf8)) } catch { throw Failure("\(error): \(text.prefix(300))") }
    }
}
