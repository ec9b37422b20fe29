package import Primitives

extension JSONObject {
    /// These members with those of `patch` in their place; null deletes one. As RFC 7396, but only at the first level:
    /// nested objects are replaced as a whole.
    package func patched(with patch: JSONObject) -> JSONObject {
        var merged = without(patch.deletions)
        for (name, value) in patch where !value.isNull { merged[name] = value }
        return merged
    }

    /// RFC 7396: merges nested objects, too.
    package func merged(with patch: JSONObject) -> JSONObject {
        var merged = without(patch.deletions)
        for (name, value) in patch where !value.isNull {
            if let inner = value.objectValue {
                merged[name] = .object((merged[name]?.objectValue ?? [:]).merged(with: inner))
            } else {
                merged[name] = value
            }
        }
        return merged
    }

    private var deletions: Set<String> { Set(members.lazy.filter(\.value.isNull).map(\.name)) }

    /// Adds missing members from `other`, also in nested objects.
    package func completed(with other: JSONObject) -> JSONObject {
        var merged = self
        for (name, value) in other {
            guard let own = merged[name] else {
                merged[name] = value
                continue
            }
            if let own = own.objectValue, let value = value.objectValue {
                merged[name] = .object(own.completed(with: value))
            }
        }
        return merged
    }

    /// Sets a member at a path and creates missing objects.
    package mutating func set(_ value: JSONValue, at place: some BidirectionalCollection<String>) {
        guard let first = place.first else { return }
        let rest = place.dropFirst()
        if rest.isEmpty {
            self[first] = value
        } else {
            var inner = self[first]?.objectValue ?? [:]
            // Held once, it is changed where it is, and not copied for each member.
            self[first] = .null
            inner.set(value, at: Array(rest))
            self[first] = .object(inner)
        }
    }

    /// Names of members that differ from `other`, sorted.
    package func differences(from other: JSONObject) -> [String] {
        Set(members.map(\.name)).union(other.members.map(\.name)).filter { self[$0] != other[$0] }.sorted()
    }
}
