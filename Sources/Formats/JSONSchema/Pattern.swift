/// A regular expression that is matched in time linear in the text: a nondeterministic automaton whose states are
/// followed all at once (Thompson, 1968), so that no pattern can be made to backtrack.
///
/// The language is a subset of ECMA-262 with the `u` flag (2020-12 Core 6.4), on code points:
/// - characters, `.`, `^`, `$`, `\b`, `\B`, alternatives with `|`;
/// - classes `[…]`, `[^…]` with ranges; `\d \D \w \W \s \S`; `\p{…}` and `\P{…}` with the one or two letters of a
///   general category, as in `\p{L}` or `\p{Nd}`;
/// - `* + ? {n} {n,} {n,m}`, also lazy, which changes nothing about whether a text matches;
/// - groups `(…)`, `(?:…)`, `(?<name>…)`;
/// - the escapes `\t \n \v \f \r \0 \cX \xHH \uHHHH \u{H…}`, and `\` before a syntax character.
///
/// Back-references and look-around are refused: the first has no linear-time matcher, the second none this simple.
struct Pattern: Sendable {
    /// What a pattern has wrong, as in "(?= is not supported".
    struct Failure: Error {
        let reason: String
    }

    enum State: Sendable {
        case characters(CharacterSet)
        case assertion(Assertion)
        case fork(Int, Int)
        case jump(Int)
        case match
    }

    enum Assertion: Sendable {
        case start, end, wordBoundary, noWordBoundary
    }

    let source: String
    private let states: [State]

    var stateCount: Int { states.count }

    /// `stateLimit` bounds the automaton, and so the cost of a character of the text; counted repetitions are copies.
    init(_ source: String, stateLimit: Int) throws(Failure) {
        var parser = PatternParser(source)
        var builder = Builder(limit: stateLimit)
        try builder.append(try parser.parse())
        try builder.add(.match)
        self.source = source
        states = builder.states
    }

    /// Whether some part of the text matches: patterns are not anchored unless they say so (Core 6.4).
    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var current = Threads(count: states.count)
        var next = Threads(count: states.count)
        for position in 0...scalars.count {
            if follow(from: 0, at: position, in: scalars, into: &current) { return true }
            guard position < scalars.count else { break }
            next.removeAll()
            for state in current.waiting {
                guard case .characters(let set) = states[state], set.contains(scalars[position]) else { continue }
                if follow(from: state + 1, at: position + 1, in: scalars, into: &next) { return true }
            }
            swap(&current, &next)
        }
        return false
    }

    /// Adds the states that wait for a character and are reached without one; true where a match is among them.
    private func follow(
        from start: Int, at position: Int, in text: [Unicode.Scalar], into threads: inout Threads
    ) -> Bool {
        threads.pending.append(start)
        while let state = threads.pending.popLast() {
            guard threads.visit(state) else { continue }
            switch states[state] {
            case .characters: threads.waiting.append(state)
            case .assertion(let assertion):
                if Self.holds(assertion, at: position, in: text) { threads.pending.append(state + 1) }
            case .fork(let one, let other):
                threads.pending.append(other)
                threads.pending.append(one)
            case .jump(let target): threads.pending.append(target)
            case .match:
                threads.pending.removeAll()
                return true
            }
        }
        return false
    }

    private static func holds(_ assertion: Assertion, at position: Int, in text: [Unicode.Scalar]) -> Bool {
        func isWord(_ index: Int) -> Bool {
            text.indices.contains(index) && CharacterSet.word.contains(text[index])
        }
        return switch assertion {
        case .start: position == 0
        case .end: position == text.count
        case .wordBoundary: isWord(position - 1) != isWord(position)
        case .noWordBoundary: isWord(position - 1) == isWord(position)
        }
    }
}

/// The states the automaton is in at one position, each at most once.
private struct Threads {
    var waiting: [Int] = []
    var pending: [Int] = []
    private var visited: [Int]
    private var round = 1

    init(count: Int) { visited = Array(repeating: 0, count: count) }

    mutating func visit(_ state: Int) -> Bool {
        if visited[state] == round { return false }
        visited[state] = round
        return true
    }

    mutating func removeAll() {
        waiting.removeAll(keepingCapacity: true)
        round += 1
    }
}

/// Lays a syntax tree out as states; each construct begins where it is appended and ends before what comes next.
private struct Builder {
    let limit: Int
    private(set) var states: [Pattern.State] = []

    init(limit: Int) { self.limit = limit }

    mutating func add(_ state: Pattern.State) throws(Pattern.Failure) {
        guard states.count < limit else {
            throw Pattern.Failure(reason: "is too large; shorten it or its repetitions {n,m}")
        }
        states.append(state)
    }

    mutating func append(_ syntax: PatternSyntax) throws(Pattern.Failure) {
        switch syntax {
        // A state even for nothing: it bounds the work of repeating nothing.
        case .empty: try add(.jump(states.count + 1))
        case .characters(let set): try add(.characters(set))
        case .assertion(let assertion): try add(.assertion(assertion))
        case .sequence(let parts):
            for part in parts { try append(part) }
        case .alternatives(let branches): try append(alternatives: branches[...])
        case .repetition(let body, let least, let most):
            for _ in 0..<least { try append(body) }
            if let most {
                try append(optional: body, upTo: most - least)
            } else {
                try append(star: body)
            }
        }
    }

    private mutating func append(alternatives branches: ArraySlice<PatternSyntax>) throws(Pattern.Failure) {
        var exits: [Int] = []
        for (index, branch) in zip(branches.indices, branches) {
            guard index + 1 < branches.endIndex else {
                try append(branch)
                break
            }
            let fork = states.count
            try add(.jump(0))
            try append(branch)
            exits.append(states.count)
            try add(.jump(0))
            states[fork] = .fork(fork + 1, states.count)
        }
        for exit in exits { states[exit] = .jump(states.count) }
    }

    /// (body(body(body)?)?)?: leaving once leaves all, so that a text is in few states at a time.
    private mutating func append(optional body: PatternSyntax, upTo count: Int) throws(Pattern.Failure) {
        var forks: [Int] = []
        for _ in 0..<count {
            forks.append(states.count)
            try add(.jump(0))
            try append(body)
        }
        for fork in forks { states[fork] = .fork(fork + 1, states.count) }
    }

    private mutating func append(star body: PatternSyntax) throws(Pattern.Failure) {
        let fork = states.count
        try add(.jump(0))
        try append(body)
        try add(.jump(fork))
        states[fork] = .fork(fork + 1, states.count)
    }
}
