import Foundation
import Terminal

enum Answer: String, CaseIterable, Sendable { case ask, allow, reject }

func watchCommand(_ connect: @escaping Connect) -> Command {
    let answer = Option.defaulted(
        "answer", .choice(of: Answer.self), to: .ask, "Ask about each request, or answer all of them the same way.")
    let reason = Option.optional("reason", .string, "Reason for rejections. The application receives it.")
    let count = Option.optional("count", .integer(1...1_000_000), "Stop after this many answers.")
    return Command(
        "watch", "Show each request when it arrives, and answer it.",
        discussion: """
            Runs until it is stopped with Ctrl-C. Earlier requests that still wait are shown first. Requests of one \
            client that wait together are asked about together, or each by itself. On a terminal it rings, but not in \
            quiet hours, unless the request is urgent.
            """,
        options: [
            OptionGroup("Answers", [answer, reason, count]), Options.common,
        ],
        examples: [
            "be asked about each request": "guardian watch",
            "answer one request and stop": "guardian watch --count 1",
        ]
    ) { invocation in
        let answer = try invocation[answer]
        guard answer != .ask || invocation.output.input.isTerminal else {
            throw UsageError(
                "there is no terminal to ask on", hint: "--answer allow or --answer reject answers without asking")
        }
        let (phone, store) = (try await invocation.phone(connect), try invocation.store())
        let watch = Watch(
            phone: phone, answer: answer, reason: try invocation[reason], limit: try invocation[count])
        let signals = try TerminationSignal.stream()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await phone.announceCapabilities(in: store)
                try await watch.run()
            }
            group.addTask { for await _ in signals { return } }
            defer { group.cancelAll() }
            try await group.next()
            return 0
        }
    }
}
