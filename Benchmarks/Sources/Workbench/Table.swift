/// Lines in columns, the first underlined. `right` names the columns of numbers.
package func aligned(_ lines: [[String]], right: Set<Int>) -> String {
    let widths = (lines.first ?? []).indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    var text = ""
    for (number, line) in lines.enumerated() {
        let cells = line.enumerated().map { column, cell in
            let padding = String(repeating: " ", count: widths[column] - cell.count)
            return right.contains(column) ? padding + cell : cell + padding
        }
        text += trimmed(cells.joined(separator: "  ")) + "\n"
        if number == 0 { text += widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ") + "\n" }
    }
    return text
}

private func trimmed(_ line: String) -> Substring {
    line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)]
}
