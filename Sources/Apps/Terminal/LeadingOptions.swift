/// Options that may stand before a group's commands, too: `countersign --server URL user list`. A command that takes them
/// declares them itself.
package struct LeadingOptions: Sendable {
    package let group: OptionGroup
    /// Shorter names before the command, where no option of the command has them.
    let aliases: [String: String]
    /// Says why a command does not take them.
    let refusal: @Sendable (Command, _ title: String) -> UsageError

    package init(
        _ group: OptionGroup, aliases: [String: String] = [:],
        refusal: @escaping @Sendable (Command, _ title: String) -> UsageError
    ) {
        self.group = group
        self.aliases = aliases
        self.refusal = refusal
    }

    /// Takes an option with its value from the front of the arguments, as one word with the option's full name. Nil if the
    /// arguments begin with something else.
    func take(from arguments: inout ArraySlice<String>) throws(UsageError) -> String? {
        guard let token = arguments.first, token.hasPrefix("--") else { return nil }
        let given = String(token.dropFirst(2).prefix { $0 != "=" })
        let name = aliases[given] ?? given
        guard declares(name) else { return nil }
        arguments.removeFirst()
        if token.contains("=") { return "--\(name)=\(token.dropFirst(given.count + 3))" }
        guard let value = arguments.popFirst() else {
            throw UsageError("--\(given) needs a value", hint: "it stands behind the option")
        }
        return "--\(name)=\(value)"
    }

    func declares(_ name: String) -> Bool { group.declarations.contains { $0.name == name } }
}
