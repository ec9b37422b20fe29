/// Finds the intended word for a misspelt one.
package enum Spelling {
    /// Nearest of `words`, at most three edits from `word`. Nil if none is.
    package static func nearest(to word: String, in words: some Sequence<String>) -> String? {
        let limit = min(3, (word.utf8.count + 1) / 2)
        return words.map { (word: $0, distance: distance($0, word)) }
            .filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.word
    }

    /// Number of single-character edits between two names (Levenshtein).
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right.utf8)
        var row = Array(0...right.count)
        for (line, byte) in left.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in right.indices {
                let substituted = diagonal + (byte == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
