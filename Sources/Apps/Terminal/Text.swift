/// Style of a run of text on a terminal.
package enum Style: Int, Sendable {
    // The raw values are the parameters of Select Graphic Rendition (ECMA-48 8.3.117).
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case yellow = 33
    case blue = 34
    case cyan = 36
}

/// Styled text that is safe to print whatever its source.
///
/// Interpolated values are shown with control characters escaped (`\n`, `\u{1B}`), so that a message from a client
/// can neither forge a line nor control the terminal: `"From \(name, .bold)"`. Line breaks in the literal stay.
package struct Text: Sendable, Equatable {
    struct Run: Sendable, Equatable {
        var content: String
        var style: Style?
    }

    private(set) var runs: [Run]

    /// One run. Control characters, including line breaks, are escaped.
    package init(_ content: some StringProtocol, _ style: Style? = nil) {
        runs = [Run(content: visible(String(content)), style: style)]
    }

    private init(runs: [Run]) { self.runs = runs }

    /// The text without styles.
    package var plain: String { runs.map(\.content).joined() }
    /// Width in columns of a text of one line.
    package var width: Int { runs.reduce(0) { $0 + displayWidth($1.content) } }

    package static func + (left: Text, right: Text) -> Text { Text(runs: left.runs + right.runs) }

    func rendered(colours: Bool) -> String {
        guard colours else { return plain }
        return runs.map { run in
            guard let style = run.style, !run.content.isEmpty else { return run.content }
            return "\u{1B}[\(style.rawValue)m\(run.content)\u{1B}[0m"
        }.joined()
    }

    func padded(to columns: Int) -> Text { self + Text(String(repeating: " ", count: max(0, columns - width))) }

    /// Breaks lines at spaces, and within words that are longer than a line unless `breakingWords` is false.
    package func wrapped(to columns: Int, breakingWords: Bool = true) -> [Text] {
        var wrapping = Wrapping(columns: max(1, columns), breaksWords: breakingWords)
        for run in runs {
            for character in run.content { wrapping.add(character, run.style) }
        }
        return wrapping.finish().map(Text.init(cells:))
    }

    private init(cells: ArraySlice<Wrapping.Cell>) {
        runs = []
        for cell in cells {
            if let last = runs.indices.last, runs[last].style == cell.style {
                runs[last].content.append(cell.character)
            } else {
                runs.append(Run(content: String(cell.character), style: cell.style))
            }
        }
    }
}

extension Text: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var runs: [Run] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            let lines = literal.split(separator: "\n", omittingEmptySubsequences: false)
            runs.append(Run(content: lines.map { visible(String($0)) }.joined(separator: "\n")))
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible, _ style: Style? = nil) {
            runs += Text(value.description, style).runs
        }

        package mutating func appendInterpolation(_ text: Text) { runs += text.runs }
    }

    package init(stringLiteral value: String) {
        var interpolation = StringInterpolation(literalCapacity: value.utf8.count, interpolationCount: 0)
        interpolation.appendLiteral(value)
        self.init(stringInterpolation: interpolation)
    }

    package init(stringInterpolation: StringInterpolation) { runs = stringInterpolation.runs }
}

private struct Wrapping {
    struct Cell {
        let character: Character
        let style: Style?
    }

    let columns: Int
    let breaksWords: Bool
    var lines: [ArraySlice<Cell>] = []
    var line: ArraySlice<Cell> = []
    var width = 0
    var lastSpace: Int?

    mutating func add(_ character: Character, _ style: Style?) {
        guard character != "\n" else { return end() }
        let characterWidth = displayWidth(character)
        if width + characterWidth > columns {
            if character == " " { return end() }
            if let space = lastSpace, space > line.startIndex {
                lines.append(line[..<space])
                line = line[(space + 1)...]
                width = line.reduce(0) { $0 + displayWidth($1.character) }
                lastSpace = nil
            } else if breaksWords, !line.isEmpty {
                end()
            }
        }
        line.append(Cell(character: character, style: style))
        width += characterWidth
        if character == " " { lastSpace = line.endIndex - 1 }
    }

    mutating func finish() -> [ArraySlice<Cell>] {
        end()
        return lines
    }

    private mutating func end() {
        lines.append(line)
        line = []
        width = 0
        lastSpace = nil
    }
}
