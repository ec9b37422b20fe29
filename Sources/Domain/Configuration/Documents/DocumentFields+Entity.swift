package import Primitives

extension DocumentFields {
    /// Reads one object from `document` and refuses unknown members. Throws `AdministrationFailure.invalid` with every
    /// problem.
    package static func entity<Entity>(
        _ document: JSONObject, _ read: (DocumentFields) -> Entity?
    ) throws(AdministrationFailure) -> Entity {
        let problems = Problems()
        let fields = DocumentFields(.object(document), path: "", problems: problems)
        let entity = fields.flatMap(read)
        fields?.finish()
        guard let entity, problems.list.isEmpty else { throw .invalid(problems.list) }
        return entity
    }

    /// Likewise, but passes unknown members that are only stored, at their places or in `additional`, to `keep`: those of
    /// `known`, and those that `stored` has from before. `patch` is what was sent of the document, if that is less.
    package static func openEntity<Entity: OpenEntity & Described>(
        _ document: JSONObject, patch: JSONObject = [:], over stored: Entity? = nil, taking known: Auth0Members,
        _ read: (DocumentFields) -> Entity?
    ) throws(AdministrationFailure) -> Entity {
        let additional = stored?.additional ?? [:]
        let own = Set(Entity.fields.all.filter(\.isAPIOnly).map(\.name))
        let problems = Problems { place in
            known.contains(place) || additional.value(at: place) != nil || place.count == 1 && own.contains(place[0])
        }
        var flat = document.completed(with: document["additional"]?.objectValue ?? [:])
        flat["additional"] = nil
        // A null deletes a member, which must be known, too.
        for (name, value) in patch where value.isNull && flat[name] == nil { flat[name] = JSONValue.null }
        let fields = DocumentFields(.object(flat), path: "", problems: problems)
        let entity = fields.flatMap(read)
        fields?.finish()
        if JSONWriter.bytes(.object(problems.kept)).count > additionalLimit {
            problems.add("", "the members that are only stored may have \(additionalLimit) bytes together")
        }
        guard var entity, problems.list.isEmpty else { throw .invalid(problems.list) }
        entity.additional = problems.kept
        return entity
    }
}

extension JSONObject {
    fileprivate func value(at place: [String]) -> JSONValue? {
        place.dropFirst().reduce(place.first.flatMap { self[$0] }) { $0?[$1] }
    }
}
