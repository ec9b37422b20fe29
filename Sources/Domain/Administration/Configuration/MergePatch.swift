public import Primitives

extension JSONObject {
    /// These members with those of `patch` in their place; null takes one away (as RFC 7396, of the first level alone:
    /// what is within a member is replaced as a whole).
    public func patched(with patch: JSONObject) -> JSONObject {
        var merged = self
        // A bare nil would be a JSON null here.
        for (name, value) in patch { merged[name] = value.isNull ? JSONValue?.none : value }
        return merged
    }

    /// RFC 7396: objects within objects are merged, too.
    func merged(with patch: JSONObject) -> JSONObject {
        var merged = self
        for (name, value) in patch {
            if let inner = value.objectValue {
                merged[name] = .object((merged[name]?.objectValue ?? [:]).merged(with: inner))
            } else {
                merged[name] = value.isNull ? JSONValue?.none : value
            }
        }
        return merged
    }

    /// The names of members that differ in `other`, sorted.
    public func differences(from other: JSONObject) -> [String] {
        Set(members.map(\.name)).union(other.members.map(\.name)).filter { self[$0] != other[$0] }.sorted()
    }
}
