/// A shell command that runs one program with literal words. Everything else is none: several commands, substitution,
/// expansion, redirection, comments, and all that another shell might read as such.
struct ShellWords: Sendable, Equatable {
    let words: [String]

    init?(_ command: String) {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        for scalar in command.unicodeScalars {
            // Line breaks, tabs and letters that merely look alike.
            guard scalar.isASCII, scalar.value >= 0x20, scalar.value != 0x7F else { return nil }
            if let open = quote {
                if scalar == open {
                    quote = nil
                } else {
                    // Live within double quotes; in single ones, this is stricter than a shell.
                    guard !"$`\\!".unicodeScalars.contains(scalar) else { return nil }
                    word?.unicodeScalars.append(scalar)
                }
                continue
            }
            switch scalar {
            case " ":
                if let ended = word { words.append(ended) }
                word = nil
            case "'", "\"":
                quote = scalar
                word = word ?? ""
            default:
                guard Self.isPlain(scalar) else { return nil }
                word = (word ?? "") + String(scalar)
            }
        }
        guard quote == nil else { return nil }
        if let ended = word { words.append(ended) }
        guard let program = words.first, !program.isEmpty, !program.contains("=") else { return nil }
        self.words = words
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || "0123456789_-./:=@%+,".unicodeScalars.contains(scalar)
    }
}

/// A command of a rule: exact words, or with ` *` at its end the first words.
struct CommandPattern: Sendable, Equatable {
    private let words: [String]
    private let isPrefix: Bool

    init?(_ text: String) {
        isPrefix = text == "*" || text.hasSuffix(" *")
        guard text != "*" else {
            words = []
            return
        }
        guard let read = ShellWords(isPrefix ? String(text.dropLast(2)) : text) else { return nil }
        words = read.words
    }

    /// True only for a simple command.
    func allows(_ command: String) -> Bool {
        guard let given = ShellWords(command)?.words else { return false }
        return isPrefix ? given.starts(with: words) : given == words
    }

    /// True also for a compound command that has the words anywhere: better too often than too seldom.
    func touches(_ command: String) -> Bool {
        if words.isEmpty || allows(command) { return true }
        guard ShellWords(command) == nil else { return false }
        let isWord: (Unicode.Scalar) -> Bool = {
            $0.properties.isAlphabetic || "0123456789_-./:=@%+,".unicodeScalars.contains($0)
        }
        let parts = command.unicodeScalars.split { !isWord($0) }.map(String.init)
        let wanted = words.flatMap { $0.unicodeScalars.split { !isWord($0) }.map(String.init) }
        guard !wanted.isEmpty, parts.count >= wanted.count else { return false }
        return (0...(parts.count - wanted.count)).contains { parts[$0...].starts(with: wanted) }
    }
}
