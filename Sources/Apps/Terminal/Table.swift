import Primitives

/// Rows in aligned columns with two spaces between them.
package struct Table: Sendable {
    private let headings: [String]
    private let rows: [[Text]]

    package init(_ headings: [String], rows: [[Text]]) {
        self.headings = headings
        self.rows = rows
    }

    package var lines: [Text] { lines(width: nil) }

    /// Wraps the last column, of texts for people, so that lines fit the width. Nil means one line per row.
    package func lines(width: Int?) -> [Text] {
        let headings = headings.map { Text($0, .bold) }
        let widths = headings.indices.map { column in
            ([headings] + rows).map { column < $0.count ? $0[column].width : 0 }.max() ?? 0
        }
        let before = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        let room = width.map { max(Self.narrowest, $0 - before) }
        return ([headings] + rows).flatMap { row in
            var line: Text = ""
            for (index, cell) in row.prefix(headings.count).enumerated() {
                if index > 0 { line = line + "  " }
                let isLast = index == min(row.count, headings.count) - 1
                guard isLast, let room, index == headings.count - 1 else {
                    line = line + (isLast ? cell : cell.padded(to: widths[index]))
                    continue
                }
                let parts = cell.wrapped(to: room, breakingWords: false)
                return [line + (parts.first ?? "")] + parts.dropFirst().map { Text("").padded(to: before) + $0 }
            }
            return [line]
        }
    }

    /// Columns that a wrapped column has at least.
    private static let narrowest = 24
}

/// Names and values in two aligned columns.
package struct Fields: Sendable {
    package var rows: [(name: String, value: Text)]

    package init(_ rows: [(name: String, value: Text)]) { self.rows = rows }

    /// Wraps values to `width`. Nil means one line per value. Words wider than a line stay whole, so that secrets, ids
    /// and URLs can be copied, unless `breakingWords` is set. A name that leaves its value less than half of the width
    /// has lines of its own.
    package func lines(width: Int?, breakingWords: Bool = false) -> [Text] {
        let longest = width.map { max(1, $0 / 2 - 2) } ?? .max
        let rows = rows.map { (name: Text($0.name, .dim), value: $0.value) }
        let column = (rows.map(\.name.width).filter { $0 <= longest }.max() ?? 0) + 2
        return rows.flatMap { row in
            guard let width else { return [row.name.padded(to: column) + row.value] }
            let values = row.value.wrapped(to: max(16, width - column), breakingWords: breakingWords)
            let isLong = row.name.width > longest
            let beside = isLong ? Text("", .dim) : row.name
            return (isLong ? row.name.wrapped(to: width) : [])
                + values.enumerated().map { index, line in
                    (index == 0 ? beside : Text("", .dim)).padded(to: column) + line
                }
        }
    }
}

/// A box with a title, for information that a person must read before going on.
package struct Card: Sendable {
    package enum Part: Sendable {
        case text(Text)
        case fields(Fields)
        case rule
    }

    package var title: Text
    package var parts: [Part]

    package init(_ title: Text, _ parts: [Part]) {
        self.title = title
        self.parts = parts
    }

    /// The box is as wide as its content needs, at most 76 columns. `width` includes the frame.
    package func lines(width: Int) -> [Text] {
        let limit = max(20, min(width, 76)) - 4
        let content = parts.map { part -> [Text]? in
            switch part {
            case .text(let text): text.wrapped(to: limit)
            case .fields(let fields): fields.lines(width: limit, breakingWords: true)
            case .rule: nil
            }
        }
        let titleLines = title.wrapped(to: limit)
        let inner = (content.compactMap { $0 }.joined() + titleLines).map(\.width).max() ?? 0
        func rule(_ left: String, _ right: String) -> Text {
            Text(left + String(repeating: "─", count: inner + 2) + right, .dim)
        }
        func row(_ text: Text) -> Text { Text("│ ", .dim) + text.padded(to: inner) + Text(" │", .dim) }
        var lines = [rule("┌", "┐")] + titleLines.map { row(Text($0.plain, .bold)) } + [rule("├", "┤")]
        for part in content { lines += part.map { $0.map(row) } ?? [rule("├", "┤")] }
        return lines + [rule("└", "┘")]
    }
}
