import CurlTransport
import Foundation
import Glibc
import Primitives
import Terminal

let assumeYes = Terminal.Option<Bool>.flag("yes", short: "y", "Allow without asking.")

let command = Command(
    "countersign-demo", "Play a payment from request to tokens and proof, a rejection and an expiry.",
    discussion: """
        Starts countersign serve on an empty data folder, enrols a phone, and shows every HTTP exchange. On a \
        terminal it asks you to decide, and at the end serves your own phone in the same network until Ctrl-C. \
        Without a terminal, or with --yes, it allows the payment and does not wait.
        """,
    version: "countersign-demo \(Release.version)",
    options: [OptionGroup("Options", [assumeYes])]
) { invocation in
    let output = invocation.output
    // The executable itself, even if it was started by a link or through the PATH.
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    output.line("Starting countersign serve on an empty data folder, with TLS from a local authority …")
    let programs = own.deletingLastPathComponent()
    let server = try await ServerProcess(programs: programs)
    let proof: Proof
    do {
        var configuration = CurlTransport.Configuration()
        configuration.trust = .file(server.installation.authorityFile)
        let transport = TracedTransport(try CurlTransport(configuration), output: output)
        let demo = Demo(
            output: output, installation: server.installation, transport: transport,
            asksPerson: try !invocation[assumeYes] && isatty(STDIN_FILENO) == 1)
        proof = try await demo.run()
    } catch {
        try? server.stop()
        throw CommandFailure("demo: failed: \(error)")
    }
    try server.stop()
    Demo.heading("10. The server is gone. The receipt proves the payment without it", output)
    try proof.verify(by: programs, output)
    let signals = try !invocation[assumeYes] && isatty(STDIN_FILENO) == 1 ? TerminationSignal.stream() : nil
    do { try await OwnPhone(programs: programs, output: output, signals: signals).show() } catch {
        throw CommandFailure("demo: failed: \(error)")
    }
    output.line()
    output.line("demo: ok")
    return 0
}

exit(
    await command.run(
        arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment,
        output: Output(environment: ProcessInfo.processInfo.environment)))
