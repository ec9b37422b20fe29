import Foundation
import Guardian
import Terminal

let environment = ProcessInfo.processInfo.environment
let status = await guardianCommand { GuardianConfiguration(certificateAuthorityFile: $0) }
    .run(
        arguments: Array(CommandLine.arguments.dropFirst()), environment: environment,
        output: Output(environment: environment))
exit(status)
