import Primitives

/// Objects that are here already and come once more. Everything here stays: texts and numbers become those of the export,
/// and lists get what they lack.
extension JSONValue {
    func merged(with new: JSONValue) -> JSONValue {
        switch (self, new) {
        case (.object(var object), .object(let other)):
            for (name, value) in other where !value.isNull {
                object[name] = object[name].map { $0.merged(with: value) } ?? value
            }
            return .object(object)
        case (.array(var elements), .array(let others)):
            for other in others {
                if let index = elements.firstIndex(where: { $0.isSame(as: other) }) {
                    elements[index] = elements[index].merged(with: other)
                } else if !elements.contains(where: { $0.grants(other) }) {
                    elements.append(other)
                }
            }
            return .array(elements)
        default: return new
        }
    }

    /// Members that tell elements of a list apart.
    private static let keys = [
        ["audience", "subject_type"], ["resource_server_identifier", "permission_name"], ["value"], ["type"],
    ]

    private func isSame(as other: JSONValue) -> Bool {
        guard let object = objectValue, let other = other.objectValue else { return self == other }
        guard let key = Self.keys.first(where: { other[$0[0]] != nil }) else { return object == other }
        return key.allSatisfy { object[$0] == other[$0] }
    }

    /// True for a grant for both subjects, which has the other's already.
    private func grants(_ other: JSONValue) -> Bool {
        guard let audience = self["audience"] else { return false }
        return self["subject_type"] == nil && other["audience"] == audience
    }
}
