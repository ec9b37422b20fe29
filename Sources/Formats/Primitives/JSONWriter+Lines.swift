extension JSONWriter {
    /// Formats JSON with an indent of two spaces per level.
    package static func lines(_ value: JSONValue) -> [String] {
        func layout(_ value: JSONValue, indent: String, lead: String, tail: String) -> [String] {
            let deeper = indent + "  "
            switch value {
            case .array(let elements) where !elements.isEmpty:
                let body = elements.enumerated().flatMap { index, element in
                    layout(element, indent: deeper, lead: deeper, tail: index == elements.count - 1 ? "" : ",")
                }
                return [lead + "["] + body + [indent + "]" + tail]
            case .object(let object) where !object.isEmpty:
                let body = object.enumerated().flatMap { index, member in
                    layout(
                        member.value, indent: deeper, lead: deeper + JSONWriter.string(.string(member.name)) + ": ",
                        tail: index == object.count - 1 ? "" : ",")
                }
                return [lead + "{"] + body + [indent + "}" + tail]
            default: return [lead + JSONWriter.string(value) + tail]
            }
        }
        return layout(value, indent: "", lead: "", tail: "")
    }
}
