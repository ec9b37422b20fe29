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

    fileprivate static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
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

    /// True also for a command that has the words anywhere, such as one that runs another: better too often than too
    /// seldom. A simple command of exact words has them at its end.
    func touches(_ command: String) -> Bool {
        if words.isEmpty || allows(command) { return true }
        let isSimple = ShellWords(command)?.words.allSatisfy { Self.parts(of: $0) == [$0] } == true
        let wanted = words.flatMap(Self.parts)
        // A shell joins what quotation marks and backslashes divide.
        let joined = String(
            String.UnicodeScalarView(command.unicodeScalars.filter { !"'\"\\".unicodeScalars.contains($0) }))
        return [command, joined].map(Self.parts).contains { given in
            guard !wanted.isEmpty, given.count >= wanted.count else { return false }
            if isSimple, !isPrefix { return given.suffix(wanted.count) == wanted[...] }
            return (0...(given.count - wanted.count)).contains { given[$0...].starts(with: wanted) }
        }
    }

    private static func parts(of text: String) -> [String] {
        text.unicodeScalars.split { !ShellWords.isPlain($0) }.map { String($0) }
    }
}
