/// Guesses what somebody meant to write.
package enum Spelling {
    /// The one of `words` that is few edits from `word`, three at most; nil where none is.
    package static func nearest(to word: String, in words: some Sequence<String>) -> String? {
        let limit = min(3, (word.utf8.count + 1) / 2)
        return words.map { (word: $0, distance: distance($0, word)) }
            .filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.word
    }

    /// How many single-character edits are between two names (Levenshtein).
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
