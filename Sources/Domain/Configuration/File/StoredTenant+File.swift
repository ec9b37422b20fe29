import AuthorizationCore
package import Primitives

extension StoredTenant {
    /// The tenant's entry in a file of `apply`: settings, APIs, roles, clients, connections and services. Users, keys and
    /// secrets are left out, so that applying the file again changes nothing, and a new installation is asked for each
    /// secret that it needs.
    package var fileEntry: JSONObject {
        var entry = tenant.document
        func put(_ member: String, _ objects: [(id: String, document: JSONObject)]) {
            guard !objects.isEmpty else { return }
            entry[member] = .array(objects.sorted { $0.id < $1.id }.map { .object($0.document) })
        }
        put("apis", resourceServers.map { ($0.identifier, $0.document) })
        put("roles", roles.map { ($0.storedID, $0.document) })
        put("clients", clients.map { ($0.storedID, $0.document) })
        put("connections", connections.map { ($0.name, $0.document) })
        for (member, document) in services where !document.isEmpty { entry[member] = .object(document) }
        return entry
    }

    private var services: [(member: String, document: JSONObject)] {
        var push: JSONObject = [:]
        var mails: JSONObject = [:]
        var templates: JSONObject = [:]
        for stored in documents.sorted(by: { $0.id < $1.id }) {
            switch stored.kind {
            case .guardianSetting where stored.id == PushServices.selectionID:
                push[ServiceEntry.selected] = stored.document["provider"]
            case .pushProvider:
                guard let provider = PushProvider(rawValue: stored.id), PushProvider.settable.contains(provider) else {
                    continue
                }
                push[stored.id] = .object(ServiceFields.fields(of: provider).known(of: stored.document))
            case .emailProvider: mails = ServiceFields.emailProvider.known(of: stored.document)
            case .emailTemplate:
                templates[stored.id] = .object(ServiceFields.emailTemplate.known(of: stored.document))
            default: continue
            }
        }
        return [("push", push), ("email_provider", mails), ("email_templates", templates)]
    }
}

extension Fields {
    /// Members of a stored document that a file has, too. The API stores empty texts for absent ones.
    fileprivate func known(of document: JSONObject) -> JSONObject {
        var known = JSONObject()
        for field in all { known[field.name] = document[field.name].flatMap { $0.isNull || $0 == "" ? nil : $0 } }
        return known
    }
}
