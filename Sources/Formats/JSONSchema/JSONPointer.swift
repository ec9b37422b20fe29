import Primitives

/// RFC 6901.
enum JSONPointer {
    static func escaped(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Reads the names of a pointer in a URI fragment (clause 6). Nil if `fragment` is not one.
    static func steps(fragment: String) -> [String]? {
        guard fragment.hasPrefix("#"), let pointer = PercentEncoding.decode(fragment.utf8.dropFirst()),
            pointer.isEmpty || pointer.hasPrefix("/")
        else { return nil }
        var steps: [String] = []
        for step in pointer.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            guard let name = unescaped(step) else { return nil }
            steps.append(name)
        }
        return steps
    }

    /// Nil if a `~` is not followed by 0 or 1 (clause 3).
    private static func unescaped(_ step: Substring.UTF8View) -> String? {
        var name: [UInt8] = []
        var rest = step[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                name.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): name.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): name.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: name, as: UTF8.self)
    }
}
