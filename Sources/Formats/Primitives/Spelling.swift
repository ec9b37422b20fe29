/// Finds the intended word for a misspelt one.
package enum Spelling {
    /// Nearest of `words`: the only one that `word` abbreviates to three letters or more, or else one at most three edits
    /// from `word`. Nil if none is.
    package static func nearest(to word: String, in words: some Sequence<String>) -> String? {
        let abbreviated = words.filter { $0.hasPrefix(word) && word.utf8.count >= 3 }
        if abbreviated.count == 1 { return abbreviated[0] }
        let limit = min(3, (word.utf8.count + 1) / 2)
        // A word of another length is further away than the difference.
        return words.filter { abs($0.utf8.count - word.utf8.count) <= limit }
            .map { (word: $0, distance: distance($0, word)) }
            .filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.word
    }

    /// Problem of a member that is not one of `words`.
    package static func unknownField(_ name: String, among words: some Sequence<String>) -> String {
        "is not a known field" + (nearest(to: name, in: words).map { "; did you mean \($0)?" } ?? "")
    }

    /// Number of insertions, deletions, substitutions and swaps of neighbours between two names.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (line, byte) in left.enumerated() {
            var row = [line + 1]
            for (column, other) in right.enumerated() {
                var distance = min(row[column] + 1, last[column + 1] + 1, last[column] + (byte == other ? 0 : 1))
                if line > 0, column > 0, byte == right[column - 1], left[line - 1] == other {
                    distance = min(distance, beforeLast[column - 1] + 1)
                }
                row.append(distance)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
