import Primitives

/// Values for the marks `##NAME##` and `@@NAME@@` that Auth0's deploy CLI leaves in an export, above all for secrets.
package struct Auth0Keywords: Sendable {
    private static let member = "AUTH0_KEYWORD_REPLACE_MAPPINGS"

    private let values: JSONObject

    package init() { values = [:] }

    /// Reads the deploy CLI's own `config.json`.
    package init(_ file: ForeignFile) throws(ForeignFailure) {
        guard let values = try file.json()[Self.member]?.objectValue else {
            throw ForeignFailure(file: file.path, path: Self.member, "must be an object with a value for each mark")
        }
        self.values = values
    }

    /// The text with marks replaced: `##NAME##` by the value's text, and `@@NAME@@`, in quotes or not, by its JSON.
    func replaced(_ text: String) -> String {
        guard !values.isEmpty, text.contains("##") || text.contains("@@") else { return text }
        var text = text
        for (name, value) in values {
            let json = JSONWriter.string(value)
            text = text.replacing("\"@@\(name)@@\"", with: json).replacing("@@\(name)@@", with: json)
            text = text.replacing("##\(name)##", with: value.stringValue.map(Self.escaped) ?? json)
        }
        return text
    }

    /// The text as it stands within quotes. Values that bring quotes of their own are lists in all but name.
    private static func escaped(_ text: String) -> String {
        text.contains("\"") ? text : String(JSONWriter.string(.string(text)).dropFirst().dropLast())
    }

    /// A mark that was not replaced.
    static func marker(in text: String) -> String? {
        for border in ["##", "@@"] {
            guard let start = text.firstRange(of: border),
                let end = text[start.upperBound...].firstRange(of: border)
            else { continue }
            let name = text[start.upperBound..<end.lowerBound]
            let isName =
                !name.isEmpty
                && name.utf8.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                        true
                    default: false
                    }
                }
            if isName { return String(text[start.lowerBound..<end.upperBound]) }
        }
        return nil
    }
}
