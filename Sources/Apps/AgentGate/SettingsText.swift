package import Primitives

/// The text of a JSON file, of which one part is added or removed and every other byte stays.
package struct SettingsText: Sendable {
    /// Text that is no JSON object, or in which the part has no place.
    package struct Failure: Error, Equatable {
        package let problem: String
    }

    package private(set) var bytes: [UInt8]

    package init(_ bytes: [UInt8]) throws(Failure) {
        self.bytes = bytes
        do {
            guard try JSONReader.parse(bytes).objectValue != nil else { throw Failure(problem: "holds no JSON object") }
        } catch let failure as Failure { throw failure } catch { throw Failure(problem: "is not valid JSON: \(error)") }
    }

    /// Depth down to which containers of the path existed before: 0 for none below the object itself.
    package mutating func append(_ value: JSONValue, to path: [String]) throws(Failure) -> Int {
        var range = whole
        for (depth, name) in path.enumerated() {
            guard isObject(range) else { throw Failure(problem: "has something else than an object around \(name)") }
            guard let found = members(of: range).last(where: { $0.name == name }) else {
                var nested: JSONValue = [value]
                for outer in path[(depth + 1)...].reversed() { nested = .object([outer: nested]) }
                insert(JSONWriter.string(.string(name)) + ": ", nested, into: range)
                return depth
            }
            range = found.value
        }
        guard bytes[range.lowerBound] == UInt8(ascii: "[") else {
            throw Failure(problem: "has no list at \(path.joined(separator: "."))")
        }
        insert("", value, into: range)
        return path.count
    }

    /// Removes the elements of the list for which `isOwn` holds, and then those containers of the path that are empty and
    /// deeper than `depth`. Returns the number of removed elements.
    package mutating func remove(from path: [String], keeping depth: Int, _ isOwn: (JSONValue) -> Bool) -> Int {
        var count = 0
        while let list = value(at: path), let parts = elements(of: list),
            let index = parts.firstIndex(where: { isOwn(parsed($0)) })
        {
            cut(index, of: parts)
            count += 1
        }
        guard count > 0 else { return 0 }
        for level in stride(from: path.count, to: depth, by: -1) {
            let outer = Array(path[..<(level - 1)])
            guard let range = value(at: Array(path[..<level])), parts(of: range).isEmpty,
                let around = value(at: outer),
                let index = members(of: around).firstIndex(where: { $0.name == path[level - 1] })
            else { break }
            cut(index, of: members(of: around).map { $0.start..<$0.value.upperBound })
        }
        return count
    }

    /// True if the object has no member.
    package var isEmpty: Bool { members(of: whole).isEmpty }

    // MARK: changes

    private mutating func insert(_ name: String, _ value: JSONValue, into container: Range<Int>) {
        let last = parts(of: container).last
        var indent = ""
        if let last {
            let line = bytes[..<last.lowerBound].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? last.lowerBound
            let lead = bytes[line..<last.lowerBound]
            if line != last.lowerBound, lead.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
                indent = String(decoding: lead, as: UTF8.self)
            }
        }
        let text = JSONWriter.lines(value).joined(separator: indent.isEmpty ? " " : "\n\(indent)")
        let before = last == nil ? "" : indent.isEmpty ? ", " : ",\n\(indent)"
        bytes.insert(contentsOf: Array((before + name + text).utf8), at: last?.upperBound ?? container.lowerBound + 1)
    }

    /// Removes a part and its comma.
    private mutating func cut(_ index: Int, of parts: [Range<Int>]) {
        if index > 0 {
            bytes.removeSubrange(parts[index - 1].upperBound..<parts[index].upperBound)
        } else {
            let end = parts.count > 1 ? parts[1].lowerBound : parts[0].upperBound
            bytes.removeSubrange(parts[0].lowerBound..<end)
        }
    }

    // MARK: places, in text that was read as JSON before

    private var whole: Range<Int> {
        let start = skipped(0)
        return start..<end(of: start)
    }

    private func isObject(_ range: Range<Int>) -> Bool { bytes[range.lowerBound] == UInt8(ascii: "{") }

    private func parsed(_ range: Range<Int>) -> JSONValue { (try? JSONReader.parse(Array(bytes[range]))) ?? .null }

    private func value(at path: [String]) -> Range<Int>? {
        path.reduce(Optional(whole)) { range, name in
            range.flatMap { isObject($0) ? members(of: $0).last { $0.name == name }?.value : nil }
        }
    }

    private func parts(of container: Range<Int>) -> [Range<Int>] {
        isObject(container)
            ? members(of: container).map { $0.start..<$0.value.upperBound } : elements(of: container) ?? []
    }

    private func members(of object: Range<Int>) -> [(name: String, start: Int, value: Range<Int>)] {
        var found: [(name: String, start: Int, value: Range<Int>)] = []
        var place = skipped(object.lowerBound + 1)
        while place < object.upperBound - 1 {
            let nameEnd = end(of: place)
            let start = skipped(skipped(nameEnd) + 1)
            let stop = end(of: start)
            found.append((parsed(place..<nameEnd).stringValue ?? "", place, start..<stop))
            place = skipped(stop)
            if place < bytes.count, bytes[place] == UInt8(ascii: ",") { place = skipped(place + 1) }
        }
        return found
    }

    /// Nil for anything but a list.
    private func elements(of list: Range<Int>) -> [Range<Int>]? {
        guard bytes[list.lowerBound] == UInt8(ascii: "[") else { return nil }
        var found: [Range<Int>] = []
        var place = skipped(list.lowerBound + 1)
        while place < list.upperBound - 1 {
            let stop = end(of: place)
            found.append(place..<stop)
            place = skipped(stop)
            if place < bytes.count, bytes[place] == UInt8(ascii: ",") { place = skipped(place + 1) }
        }
        return found
    }

    private func skipped(_ start: Int) -> Int {
        var place = start
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
        return place
    }

    /// The end of the value that begins at `start`.
    private func end(of start: Int) -> Int {
        var (place, depth, isQuoted) = (start, 0, false)
        while place < bytes.count {
            let byte = bytes[place]
            if isQuoted {
                if byte == UInt8(ascii: "\\") { place += 1 }
                if byte == UInt8(ascii: "\"") { isQuoted = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isQuoted = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return place }
                    depth -= 1
                    if depth == 0 { return place + 1 }
                case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: if depth == 0 { return place }
                default: break
                }
                place += 1
                continue
            }
            place += 1
            if !isQuoted, depth == 0 { return place }
        }
        return bytes.count
    }
}
