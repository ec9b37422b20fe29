import Foundation
import Guardian
import Terminal

let environment = ProcessInfo.processInfo.environment
let command = guardianCommand {
    GuardianConfiguration(
        certificateAuthorityFile: $0,
        trustAdvice: "Name the CA that signed it with --ca FILE; a development server's is DATA/tls/ca.pem.")
}
let status = await command.run(
    arguments: Array(CommandLine.arguments.dropFirst()), environment: environment,
    output: Output(environment: environment))
exit(status)
