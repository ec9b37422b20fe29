import Audit
import AuthorizationCore
import Configuration
import Delivery
@testable import Flows
import Foundation
import Localization
import Primitives
import Synchronization
import TestSupport
import Testing

extension MailCourierTests {
    @Test("An address that an administrator named gets mail by a mail server of the tenant's own alone")
    func foreign() async throws {
        for (index, recipient) in MailRecipient.allCases.enumerated() {
            let transport = FakeTransport()
            add(Int64(index + 1), try sealed("s", recipient: recipient))
            try await working(transport) { _ in await queue.awaitSettled(index + 1) }
            #expect(transport.taken.withLock { $0.count } == (recipient == .foreign ? 0 : 1), "\(recipient)")
        }
        #expect(Array(queue.dead.values) == [MailRecipient.refusal])
        add(9, try sealed("s", recipient: .foreign))
        var mail = MailSettings()
        mail.relay = Self.relay
        try await working(FakeTransport(), mail: mail) { _ in await queue.awaitSettled(5) }
        #expect(relays.transport.taken.withLock { $0.count } == 1)
    }

    @Test("Mails beyond the budget of the operator's mail server wait, visibly, and those of a tenant's own do not")
    func budget() async throws {
        var limits = MailBudget.Limits()
        limits.perMailbox = 2
        let budget = MailBudget(limits)
        for id in 1...3 { add(Int64(id), try sealed("\(id)")) }
        let transport = FakeTransport([.failed("451 later")])
        let lines = try await working(transport, budget: budget) { timer in
            await queue.awaitSettled(3)
            // One failed, so that the next one finds room.
            #expect(transport.taken.withLock { $0.count } >= 2)
            await pass(.seconds(1800), timer)
            await queue.awaitSettled(4)
        }
        #expect(lines.allSatisfy { $0.contains("451 later") }, "\(lines)")
        #expect(queue.dead.isEmpty)
        var mail = MailSettings()
        mail.relay = Self.relay
        for id in 11...16 { add(Int64(id), try sealed("\(id)")) }
        try await working(FakeTransport(), mail: mail, budget: budget) { _ in await relays.transport.calls.wait(for: 6)
        }
        #expect(relays.transport.taken.withLock { $0.count } >= 6)
    }
}
