import Foundation
import Guardian
import Localization
import Primitives
import Terminal

/// Prints the six digits that login pages take if a push does not arrive.
func codeCommand(now: @escaping @Sendable () -> Date = { Date() }) -> Command {
    Command(
        "code", "Show the current one-time password.",
        discussion: """
            For a login page that asks for the digits that your phone shows. It needs no network. Standard output \
            contains only the password.
            """,
        options: [OptionGroup("Enrolment", [Options.store, Options.device, Options.domain, Options.json])],
        examples: ["show the code of the only enrolment": "guardian code"]
    ) { invocation in
        let device = try await invocation.store().device(
            id: try invocation[Options.device], domain: try invocation[Options.domain])
        guard let parameters = device.totp else {
            throw CommandFailure(
                "the server gave \(device.id) no one-time passwords", hint: "guardian watch answers its requests")
        }
        let time = now().timeIntervalSince1970
        let code: String
        do { code = try totp(parameters: parameters).stringCode(time: time) } catch { throw explained(error) }
        let period = Int64(parameters.period)
        let left = period - Int64(time.rounded(.down)) % period
        let output = invocation.output
        if try invocation[Options.json] {
            output.json(["code": .string(code), "seconds_left": JSONValue(left)])
        } else {
            output.line(Text(code, .bold))
            output.note(Text(invocation.texts.codeChanges(spellDuration(.seconds(left)))))
        }
        return 0
    }
}
