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

    /// Likewise, but passes unknown members, at their places or in `additional`, to `keep`. Refuses members that cannot
    /// be stored.
    package static func openEntity<Entity>(
        _ document: JSONObject, _ read: (DocumentFields) -> Entity?, keep: (inout Entity, JSONObject) -> Void
    ) throws(AdministrationFailure) -> Entity {
        let problems = Problems(keepsUnknown: true)
        var flat = document.completed(with: document["additional"]?.objectValue ?? [:])
        flat["additional"] = nil
        let fields = DocumentFields(.object(flat), path: "", problems: problems)
        let entity = fields.flatMap(read)
        fields?.finish()
        let unknown = problems.unknown ?? [:]
        if JSONWriter.bytes(.object(unknown)).count > additionalLimit {
            problems.add("", "the members that are only stored may have \(additionalLimit) bytes together")
        }
        guard var entity, problems.list.isEmpty else { throw .invalid(problems.list) }
        keep(&entity, unknown)
        return entity
    }
}
