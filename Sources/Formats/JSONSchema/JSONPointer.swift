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

    /// The pointer of a URI fragment (clause 6), escaped as `escaped` does; nil for anything else.
    static func canonical(fragment: String) -> String? {
        guard fragment.hasPrefix("#"), let pointer = PercentEncoding.decode(fragment.utf8.dropFirst()),
            pointer.isEmpty || pointer.hasPrefix("/")
        else { return nil }
        return pointer
    }
}
