import AuthorizationCore
@testable import Flows
import Primitives
import TestSupport
import Testing

@Suite("Budget of the operator's mail server")
struct MailBudgetTests {
    private let dev = TenantID("dev")
    private let other = TenantID("other")

    private func address(_ text: String) throws -> EmailAddress { try #require(EmailAddress(parsing: text)) }

    private func budget(perTenant: Int, perMailbox: Int) -> MailBudget {
        var limits = MailBudget.Limits()
        (limits.perTenant, limits.perMailbox) = (perTenant, perMailbox)
        return MailBudget(limits)
    }

    @Test("A mailbox gets its share from each tenant, whatever detail its address has, and the share refills evenly")
    func mailbox() throws {
        let budget = budget(perTenant: 100, perMailbox: 2)
        let ann = try address("ann@example.org")
        #expect(budget.take(ann, of: dev, now: Samples.start) == nil)
        #expect(budget.take(try address("ann+shop@example.org"), of: dev, now: Samples.start) == nil)
        let refusal = budget.take(ann, of: dev, now: Samples.start)
        #expect(refusal == MailBudget.Refusal(bound: .mailbox, wait: .seconds(1800)))
        #expect(budget.take(ann, of: other, now: Samples.start) == nil, "no tenant uses up another's")
        #expect(budget.take(try address("bob@example.org"), of: dev, now: Samples.start) == nil)
        #expect(budget.take(ann, of: dev, now: Samples.start + .seconds(1799)) != nil)
        #expect(budget.take(ann, of: dev, now: Samples.start + .seconds(1800)) == nil)
        #expect(budget.refusals(by: .mailbox) == 2 && budget.refusals(by: .tenant) == 0)
    }

    @Test("A tenant has a budget over all its mailboxes")
    func tenant() throws {
        let budget = budget(perTenant: 3, perMailbox: 2)
        for name in ["a", "b", "c"] {
            #expect(budget.take(try address("\(name)@example.org"), of: dev, now: Samples.start) == nil)
        }
        let last = try address("d@example.org")
        #expect(
            budget.take(last, of: dev, now: Samples.start)
                == MailBudget.Refusal(bound: .tenant, wait: .seconds(1200)))
        #expect(budget.take(last, of: other, now: Samples.start) == nil)
        #expect(budget.refusals(by: .tenant) == 1)
    }

    @Test("A mail that was not sent uses up nothing, and a clock that is set back gives nothing")
    func returned() throws {
        let budget = budget(perTenant: 1, perMailbox: 1)
        let ann = try address("ann@example.org")
        #expect(budget.take(ann, of: dev, now: Samples.start) == nil)
        budget.giveBack(ann, of: dev)
        #expect(budget.take(ann, of: dev, now: Samples.start) == nil)
        #expect(budget.take(ann, of: dev, now: Samples.start + .seconds(-3600)) != nil)
    }
}
