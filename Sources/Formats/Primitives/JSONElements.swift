/// Elements of a JSON array, or values behind one another, as ranges of a text that is too large to read as one value.
///
/// Only brackets and texts are followed, so an element need not be valid JSON.
package enum JSONElements {
    /// Nil if the text is no array and no list of values, or something follows it.
    package static func ranges(in text: [UInt8]) -> [Range<Int>]? {
        text.withUnsafeBufferPointer { Scanner(text: $0).ranges() }
    }

    private struct Scanner {
        let text: UnsafeBufferPointer<UInt8>

        func ranges() -> [Range<Int>]? {
            var place = skipBlanks(0)
            guard place < text.count else { return nil }
            let isArray = text[place] == UInt8(ascii: "[")
            if isArray {
                place = skipBlanks(place + 1)
                if place < text.count, text[place] == UInt8(ascii: "]") { return isEnd(place + 1) ? [] : nil }
            }
            var found: [Range<Int>] = []
            while let end = element(at: place) {
                found.append(place..<end)
                place = skipBlanks(end)
                guard isArray else {
                    if place == text.count { return found }
                    continue
                }
                guard place < text.count else { return nil }
                if text[place] == UInt8(ascii: "]") { return isEnd(place + 1) ? found : nil }
                guard text[place] == UInt8(ascii: ",") else { return nil }
                place = skipBlanks(place + 1)
            }
            return nil
        }

        private func isEnd(_ place: Int) -> Bool { skipBlanks(place) == text.count }

        private func skipBlanks(_ start: Int) -> Int {
            var place = start
            while place < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[place]) { place += 1 }
            return place
        }

        /// End of the value that begins at `start`. Nil if there is none.
        private func element(at start: Int) -> Int? {
            var (depth, isText, place) = (0, false, start)
            while place < text.count {
                let byte = text[place]
                if isText {
                    if byte == UInt8(ascii: "\\") { place += 1 }
                    if byte == UInt8(ascii: "\"") {
                        isText = false
                        if depth == 0 { return place + 1 }
                    }
                } else {
                    switch byte {
                    case UInt8(ascii: "\""): isText = true
                    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                    case UInt8(ascii: "}"), UInt8(ascii: "]"):
                        if depth == 0 { return place > start ? place : nil }
                        depth -= 1
                        if depth == 0 { return place + 1 }
                    case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                        if depth == 0 { return place > start ? place : nil }
                    default: break
                    }
                }
                place += 1
            }
            return depth == 0 && !isText && place == text.count && place > start ? place : nil
        }
    }
}
