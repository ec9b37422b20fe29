/// One option or argument of a command, declared once for parsing, for help, and as the key to its value.
///
///     let user = Option.required("user", short: "u", .string.placeholder("USER"), "User to ask.")
///     …
///     let name = try invocation[user]        // a String
package struct Option<Value: Sendable>: Sendable {
    package let declaration: OptionDeclaration
    let read: @Sendable ([Occurrence]) throws(UsageError) -> Value

    private init(_ declaration: OptionDeclaration, read: @escaping @Sendable ([Occurrence]) throws(UsageError) -> Value)
    {
        var declaration = declaration
        declaration.check = { (occurrences) throws(UsageError) in _ = try read(occurrences) }
        self.declaration = declaration
        self.read = read
    }
}

extension Option where Value == Bool {
    /// True if given. The environment variable may be `1`, `true`, `yes`, `on`, or an opposite of these.
    package static func flag(
        _ name: String, short: Character? = nil, environment: String? = nil, _ help: String
    ) -> Option {
        let declaration = OptionDeclaration(
            name: name, short: short, form: .flag, ValueKind.string.placeholder(""), environment: environment,
            help: help)
        return Option(declaration) { (occurrences) throws(UsageError) in
            guard let text = occurrences.last?.text else { return false }
            switch text.lowercased() {
            case "1", "true", "yes", "on": return true
            case "0", "false", "no", "off", "": return false
            default: throw UsageError("\(occurrences[0].origin) must be true or false")
            }
        }
    }
}

extension Option {
    /// An option that must be given.
    package static func required(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Value>, environment: String? = nil, _ help: String
    ) -> Option {
        let declaration = OptionDeclaration(
            name: name, short: short, form: .value, kind, environment: environment, isRequired: true, help: help)
        return Option(declaration) { (occurrences) throws(UsageError) in
            guard let occurrence = occurrences.last else { throw .missing(declaration) }
            return try occurrence.parsed(kind)
        }
    }

    /// An option with a default value.
    package static func defaulted(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Value>, to fallback: Value,
        environment: String? = nil, _ help: String
    ) -> Option {
        let declaration = OptionDeclaration(
            name: name, short: short, form: .value, kind, environment: environment,
            defaultText: kind.spell(fallback), help: help)
        return Option(declaration) { (occurrences) throws(UsageError) in
            try occurrences.last?.parsed(kind) ?? fallback
        }
    }

    /// An option that may be left out. `defaultText` describes the default in help.
    package static func optional<Wrapped>(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Wrapped>, environment: String? = nil,
        defaultText: String? = nil, _ help: String
    ) -> Option where Value == Wrapped? {
        let declaration = OptionDeclaration(
            name: name, short: short, form: .value, kind, environment: environment, defaultText: defaultText,
            help: help)
        return Option(declaration) { (occurrences) throws(UsageError) in try occurrences.last?.parsed(kind) }
    }

    /// An option that may be given several times. Commas separate values in the environment variable.
    package static func repeated<Element>(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Element>, environment: String? = nil, _ help: String
    ) -> Option where Value == [Element] {
        let declaration = OptionDeclaration(
            name: name, short: short, form: .value, kind, environment: environment, isRepeated: true, help: help)
        return Option(declaration) { (occurrences) throws(UsageError) in try all(occurrences, of: kind) }
    }

    /// An operand that must be given, such as `URI`. Operands are assigned in the order of their declarations.
    package static func argument(_ name: String, _ kind: ValueKind<Value>, _ help: String) -> Option {
        let declaration = OptionDeclaration(name: name, form: .argument, kind, isRequired: true, help: help)
        return Option(declaration) { (occurrences) throws(UsageError) in
            guard let occurrence = occurrences.last else { throw .missing(declaration) }
            return try occurrence.parsed(kind)
        }
    }

    /// An operand that may be left out. Only optional operands may follow it.
    package static func optionalArgument<Wrapped>(
        _ name: String, _ kind: ValueKind<Wrapped>, _ help: String
    ) -> Option where Value == Wrapped? {
        Option(OptionDeclaration(name: name, form: .argument, kind, help: help)) { (occurrences) throws(UsageError) in
            try occurrences.last?.parsed(kind)
        }
    }

    /// All remaining operands.
    package static func arguments<Element>(
        _ name: String, _ kind: ValueKind<Element>, _ help: String
    ) -> Option where Value == [Element] {
        let declaration = OptionDeclaration(name: name, form: .argument, kind, isRepeated: true, help: help)
        return Option(declaration) { (occurrences) throws(UsageError) in try all(occurrences, of: kind) }
    }

    private static func all<Element>(
        _ occurrences: [Occurrence], of kind: ValueKind<Element>
    ) throws(UsageError) -> [Element] {
        var values: [Element] = []
        for occurrence in occurrences { values.append(try occurrence.parsed(kind)) }
        return values
    }
}

/// An option or argument whose type is left open, in a command's list of options.
package protocol DeclaredOption: Sendable {
    var declaration: OptionDeclaration { get }
}

extension Option: DeclaredOption {}

extension OptionDeclaration: DeclaredOption {
    package var declaration: OptionDeclaration { self }
}

/// The facts of an option that do not depend on its value's type, for parsing and help.
package struct OptionDeclaration: Sendable {
    package enum Form: Sendable { case flag, value, argument }

    /// The name without dashes.
    package let name: String
    package let short: Character?
    package let form: Form
    package let placeholder: String
    package let choices: [String]
    /// True if the value names a file or folder.
    package let isPath: Bool
    package let environment: String?
    package let defaultText: String?
    package let isRequired: Bool
    package let isRepeated: Bool
    package let help: String
    var check: @Sendable ([Occurrence]) throws(UsageError) -> Void = { (_) throws(UsageError) in }

    fileprivate init<Value>(
        name: String, short: Character? = nil, form: Form, _ kind: ValueKind<Value>, environment: String? = nil,
        defaultText: String? = nil, isRequired: Bool = false, isRepeated: Bool = false, help: String
    ) {
        self.name = name
        self.short = short
        self.form = form
        placeholder = kind.placeholder
        choices = kind.choices
        isPath = kind.isPath
        self.environment = environment
        self.defaultText = defaultText
        self.isRequired = isRequired
        self.isRepeated = isRepeated
        self.help = help
    }

    /// The name as users type it: `--user` or `URI`.
    package var spelling: String { form == .argument ? name : "--\(name)" }
}

/// A text given for an option, and its origin.
struct Occurrence: Sendable, Equatable {
    let text: String
    /// `--port`, `URI`, or the environment variable's name.
    let origin: String

    func parsed<Value>(_ kind: ValueKind<Value>) throws(UsageError) -> Value {
        do {
            return try kind.parse(text)
        } catch {
            let given = kind.isSecret || text.isEmpty ? "" : ", not \"\(visible(text))\""
            throw UsageError("\(origin) \(error.rule)\(given)", hint: error.hint)
        }
    }
}

/// Options that appear together under one heading in help.
package struct OptionGroup: Sendable {
    package let heading: String
    package let declarations: [OptionDeclaration]

    package init(_ heading: String, _ options: [any DeclaredOption]) {
        self.heading = heading
        declarations = options.map(\.declaration)
    }
}
