/// A form of `multipart/form-data` (RFC 7578), read whole and strictly: one boundary, one line break, no nesting, no
/// encodings.
package struct MultipartForm: Sendable {
    package struct Part: Sendable, Equatable {
        package let name: String
        /// Nil for a field without a file.
        package let fileName: String?
        package let body: [UInt8]
    }

    package struct Failure: Error, Sendable, Equatable {
        package let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    private static let headLimit = 1024
    private static let lineBreak = Array("\r\n".utf8)

    /// By their names, which are unique.
    package let parts: [String: Part]

    /// - Parameters:
    ///   - contentType: Value of `Content-Type`, with the boundary.
    ///   - partLimit: Largest number of parts.
    package init(_ body: [UInt8], contentType: String, partLimit: Int) throws(Failure) {
        let boundary = try Self.boundary(of: contentType)
        let delimiter = Self.lineBreak + Array("--\(boundary)".utf8)
        // The first delimiter may lack the line break before it.
        var rest = (Self.lineBreak + body)[...]
        guard rest.starts(with: delimiter) else { throw Failure("The body does not begin with its boundary") }
        rest = rest.dropFirst(delimiter.count)
        var parts: [String: Part] = [:]
        while !rest.starts(with: "--".utf8) {
            guard rest.starts(with: Self.lineBreak) else { throw Failure("A boundary has something behind it") }
            rest = rest.dropFirst(Self.lineBreak.count)
            guard let end = rest.range(of: delimiter) else { throw Failure("The body ends before its last boundary") }
            let part = try Self.part(rest[..<end.lowerBound])
            guard parts[part.name] == nil else { throw Failure("The part \(part.name) is repeated; send it once") }
            parts[part.name] = part
            guard parts.count <= partLimit else { throw Failure("There are more than \(partLimit) parts") }
            rest = rest[end.upperBound...]
        }
        guard rest.dropFirst(2).isEmpty || rest.dropFirst(2).elementsEqual(Self.lineBreak) else {
            throw Failure("Something follows the last boundary")
        }
        self.parts = parts
    }

    private static func boundary(of contentType: String) throws(Failure) -> String {
        let values = try parameters(contentType, of: "multipart/form-data")
        guard let boundary = values["boundary"], (1...70).contains(boundary.utf8.count),
            boundary.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw Failure("Content-Type needs a boundary of 1 to 70 characters") }
        return boundary
    }

    private static func part(_ text: ArraySlice<UInt8>) throws(Failure) -> Part {
        guard let end = text.range(of: lineBreak + lineBreak), end.lowerBound - text.startIndex <= headLimit else {
            throw Failure("A part has no head of at most \(headLimit) bytes")
        }
        var disposition: String?
        for line in text[..<end.lowerBound].split(separator: lineBreak) {
            guard let line = String(validating: line, as: UTF8.self), let colon = line.firstIndex(of: ":") else {
                throw Failure("A part's head is malformed")
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            switch line[..<colon].lowercased() {
            case "content-disposition" where disposition == nil: disposition = String(value)
            case "content-type", "content-length": break
            case let name: throw Failure("A part has the field \(name), which is repeated or not supported")
            }
        }
        guard let disposition else { throw Failure("A part has no Content-Disposition") }
        let values = try parameters(disposition, of: "form-data")
        guard let name = values["name"] else { throw Failure("A part has no name") }
        return Part(name: name, fileName: values["filename"], body: Array(text[end.upperBound...]))
    }

    /// Parameters behind a first word (RFC 9110 clause 5.6.6), in lower case. Values may be quoted.
    private static func parameters(_ text: String, of word: String) throws(Failure) -> [String: String] {
        var rest = text[...]
        guard rest.prefix(word.count).lowercased() == word else { throw Failure("\(word) is expected, not \(text)") }
        rest = rest.dropFirst(word.count)
        var values: [String: String] = [:]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard !rest.isEmpty else { return values }
            guard rest.removeFirst() == ";" else { throw Failure("\(word) has malformed parameters") }
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard let equals = rest.firstIndex(of: "=") else { throw Failure("\(word) has malformed parameters") }
            let name = rest[..<equals].lowercased()
            rest = rest[rest.index(after: equals)...]
            let value: String
            if rest.first == "\"" {
                guard let read = quoted(&rest) else { throw Failure("\(word) has a malformed \(name)") }
                value = read
            } else {
                value = String(rest.prefix { $0 != ";" && $0 != " " })
                rest = rest.dropFirst(value.count)
            }
            guard !name.isEmpty, values.updateValue(value, forKey: name) == nil else {
                throw Failure("\(word) repeats \(name)")
            }
        }
    }

    private static func quoted(_ text: inout Substring) -> String? {
        var value = ""
        text.removeFirst()
        while let next = text.popFirst() {
            switch next {
            case "\"": return value
            case "\\":
                guard let escaped = text.popFirst() else { return nil }
                value.append(escaped)
            default: value.append(next)
            }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// First place of some bytes.
    fileprivate func range(of pattern: [UInt8]) -> Range<Int>? {
        guard let first = pattern.first, count >= pattern.count else { return nil }
        var place = startIndex
        while let found = self[place...].firstIndex(of: first), found + pattern.count <= endIndex {
            if self[found..<found + pattern.count].elementsEqual(pattern) { return found..<found + pattern.count }
            place = found + 1
        }
        return nil
    }

    fileprivate func split(separator: [UInt8]) -> [ArraySlice<UInt8>] {
        var (lines, rest) = ([ArraySlice<UInt8>](), self)
        while let end = rest.range(of: separator) {
            lines.append(rest[..<end.lowerBound])
            rest = rest[end.upperBound...]
        }
        return lines + (rest.isEmpty ? [] : [rest])
    }
}
