import Glibc
import Terminal

let environment = processEnvironment()
let status = await Command.countersign.run(
    arguments: Array(CommandLine.arguments.dropFirst()), environment: environment,
    output: Output(environment: environment))
exit(status)
