/// A command with its options, or a group of commands. Help is generated from this declaration.
package struct Command: Sendable {
    package struct Example: Sendable {
        package let purpose: String
        package let line: String

        package init(_ purpose: String, _ line: String) {
            self.purpose = purpose
            self.line = line
        }
    }

    /// Command lines, each with its purpose.
    package typealias Examples = KeyValuePairs<String, String>

    /// Does the command's work and returns the process's exit status.
    package typealias Body = @Sendable (Invocation) async throws -> Int32

    package let name: String
    package private(set) var aliases: [String] = []
    /// Hints for words that users expect here but the group does not have.
    private(set) var hints: [String: String] = [:]
    package let summary: String
    /// Paragraphs under the summary, separated by empty lines.
    package let discussion: String
    package let groups: [OptionGroup]
    package let examples: [Example]
    package private(set) var subcommands: [Command]
    /// Text for `--version`. Nil means that the command has no such option.
    package let version: String?
    /// Exit status after a usage error.
    private(set) var misuseStatus: Int32 = 2
    /// Exit status after any other failure. Nil means the failure's own.
    private(set) var failureStatus: Int32?
    /// Options that may stand before the group's commands.
    private(set) var leading: LeadingOptions?
    let body: Body?

    package init(
        _ name: String, _ summary: String, discussion: String = "", version: String? = nil,
        options: [OptionGroup] = [], examples: Examples = [:], run: @escaping Body
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        groups = options
        self.examples = examples.map { Example($0.key, $0.value) }
        subcommands = []
        self.version = version
        body = run
    }

    /// A group: its first operand names one of `subcommands`.
    package init(
        _ name: String, _ summary: String, discussion: String = "", version: String? = nil,
        examples: [Example] = [], subcommands: [Command]
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        groups = []
        self.examples = examples
        self.subcommands = subcommands
        self.version = version
        body = nil
    }

    /// A copy whose first operand may also name one of these commands.
    package func with(subcommands: [Command]) -> Command {
        var copy = self
        copy.subcommands = subcommands
        return copy
    }

    /// A copy that can also be called by other names.
    package func alias(_ names: String...) -> Command {
        var copy = self
        copy.aliases += names
        return copy
    }

    /// A copy with another exit status than 2 for usage errors, for commands whose statuses report an outcome.
    package func exitingOnMisuse(with status: Int32) -> Command {
        var copy = self
        copy.misuseStatus = status
        return copy
    }

    /// A copy with one exit status for all failures but usage errors, for callers that try again by it.
    package func exitingOnFailure(with status: Int32) -> Command {
        var copy = self
        copy.failureStatus = status
        return copy
    }

    /// A copy of a group with hints for commands that it does not have.
    package func hints(_ hints: [String: String]) -> Command {
        var copy = self
        copy.hints = hints
        return copy
    }

    /// A copy of a group whose commands may have these options before them.
    package func leading(_ options: LeadingOptions) -> Command {
        var copy = self
        copy.leading = options
        return copy
    }

    package var declarations: [OptionDeclaration] { groups.flatMap(\.declarations) }
}

/// The output, environment and arguments that a command runs with.
package struct Invocation: Sendable {
    package let output: Output
    package let environment: [String: String]
    let command: Command
    let values: [String: [Occurrence]]

    /// The option's value. Values were checked before the command began, so this throws only if the command does not
    /// declare the option.
    package subscript<Value>(option: Option<Value>) -> Value {
        get throws(UsageError) {
            let name = option.declaration.name
            guard command.declarations.contains(where: { $0.name == name }) else {
                throw UsageError("\(command.name) does not declare \(option.declaration.spelling)")
            }
            return try option.read(values[name] ?? [])
        }
    }

    /// True if the command line has the option, and not only its environment variable.
    package func isOnCommandLine(_ declaration: OptionDeclaration) -> Bool {
        (values[declaration.name] ?? []).contains { $0.origin == declaration.spelling }
    }

    /// Words of the command line that gave these options, for a command that is to do with the same.
    package func words(of declarations: [OptionDeclaration]) -> [String] {
        declarations.flatMap { declaration in
            (values[declaration.name] ?? []).filter { $0.origin == declaration.spelling }.flatMap { occurrence in
                declaration.form == .flag ? [declaration.spelling] : [declaration.spelling, occurrence.text]
            }
        }
    }
}

/// A command line that the command does not accept. Exit status 2, unless the command sets another.
package struct UsageError: Error, Sendable, Equatable {
    package let message: String
    package let hint: String?

    package init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    static func missing(_ declaration: OptionDeclaration) -> UsageError {
        UsageError(
            "\(declaration.spelling) is required",
            hint: declaration.environment.map { "or set the environment variable \($0)" })
    }
}

/// A failure of a command whose arguments were valid.
package struct CommandFailure: Error, Sendable, Equatable {
    package let message: String
    /// Advice on what to do next.
    package let hint: String?
    package let status: Int32

    package init(_ message: String, hint: String? = nil, status: Int32 = 1) {
        self.message = message
        self.hint = hint
        self.status = status
    }
}

extension Command {
    /// Runs the command that `arguments` name and returns the exit status, which is 2 after a usage error.
    /// `arguments` do not include the program's own name.
    package func run(arguments: [String], environment: [String: String], output: Output) async -> Int32 {
        do {
            switch try interpretation(of: arguments, environment: environment) {
            case .help(let path):
                output.lines(Command.help(path: path, width: output.standard.width()))
                return 0
            case .version(let text):
                output.line("\(text)")
                return 0
            case .noArguments(let path):
                output.notes(Command.help(path: path, width: output.diagnostics.width()))
                return 2
            case .run(let command, let values):
                guard let body = command.body else { return 2 }
                return try await body(
                    Invocation(output: output, environment: environment, command: command, values: values))
            }
        } catch let error as UsageError {
            output.error(error.message, hint: error.hint)
            return named(by: arguments[...]).misuseStatus
        } catch let error as CommandFailure {
            output.error(error.message, hint: error.hint)
            return named(by: arguments[...]).failureStatus ?? error.status
        } catch {
            output.error(String(describing: error))
            return named(by: arguments[...]).failureStatus ?? 1
        }
    }

    /// The command that the first arguments name.
    private func named(by arguments: ArraySlice<String>) -> Command {
        arguments.first.flatMap(subcommand)?.named(by: arguments.dropFirst()) ?? self
    }

    func subcommand(_ name: String) -> Command? { subcommands.first { $0.name == name || $0.aliases.contains(name) } }
}
