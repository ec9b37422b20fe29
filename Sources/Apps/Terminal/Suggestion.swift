/// The word closest to `text`, if one is close enough to be a typing error.
func nearest(to text: String, among words: [String]) -> String? {
    let ranked = words.map { (word: $0, distance: editDistance(text, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, min(3, text.count / 2)) ? best.word : nil
}

/// Counts insertions, deletions, substitutions and swaps of neighbours.
private func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (i, character) in left.enumerated() {
        var row = [i + 1]
        for (j, other) in right.enumerated() {
            var distance = min(row[j] + 1, last[j + 1] + 1, last[j] + (character == other ? 0 : 1))
            if i > 0, j > 0, character == right[j - 1], left[i - 1] == other {
                distance = min(distance, beforeLast[j - 1] + 1)
            }
            row.append(distance)
        }
        (beforeLast, last) = (last, row)
    }
    return last[right.count]
}
