import AuthorizationCore
import Primitives

/// The documents of services.
extension ApplyConfiguration {
    /// A checked document of the file.
    struct SettledService {
        let entry: ServiceEntry
        /// Documents that were stored when the new one was checked.
        let stored: TenantDocument?
        let old: ServiceEntry.Whole?
        let new: ServiceEntry.Whole
        /// Names of the file's secrets that were taken for the stored ones.
        let uncompared: [String]
    }

    /// Opens and checks keys, which takes too long for a transaction. Without `comparesSecrets`, the file's secrets count as
    /// the stored ones, also where only a new one is checked.
    func settledServices(
        _ file: ConfigurationFile, over parts: [StoredTenant], comparesSecrets: Bool, now: Timestamp
    ) -> (services: [TenantID: [SettledService]], problems: [DocumentProblem]) {
        var problems: [DocumentProblem] = []
        var settled: [TenantID: [SettledService]] = [:]
        for tenant in file.tenants {
            let id = tenant.tenant.id
            let part = parts.first { $0.tenant.id == id }
            settled[id] = tenant.services.compactMap { entry in
                let stored = part?.document(entry)
                let isAssumed = !comparesSecrets && !entry.secrets.isEmpty
                var old = stored.map {
                    // Secrets that cannot be opened count as missing, so that the file replaces them.
                    ServiceEntry.Whole(
                        document: $0.document,
                        secrets: isAssumed ? entry.secrets : (try? $0.secrets(of: id, with: sealer)) ?? [:])
                }
                do throws(DocumentProblem) {
                    let new = try entry.settled(over: old, keys: keyFiles, now: now)
                    if isAssumed { old?.secrets = new.secrets }
                    return SettledService(
                        entry: entry, stored: stored, old: old, new: new,
                        uncompared: isAssumed
                            ? entry.secrets.members.map { "\(ServiceEntry.credentials).\($0.name)" }.sorted() : [])
                } catch {
                    problems.append(DocumentProblem(path: "\(entry.path).\(error.path)", message: error.message))
                    return nil
                }
            }
        }
        return (settled, problems)
    }

    func write(
        _ services: [SettledService], of tenant: TenantID, over old: Draft?, with writer: inout ChangeWriter
    ) throws {
        for service in services {
            let entry = service.entry
            guard try old?.document(entry.kind, entry.id) == service.stored else {
                throw AdministrationFailure.unsupported("The settings are being changed by others; try again")
            }
            try writer.put(
                entry.kind, entry.id, service.new.compared, over: service.old?.compared, note: service.note,
                uncompared: service.uncompared
            ) {
                try TenantDocument(
                    entry.kind, id: entry.id, document: service.new.document, secrets: service.new.secrets, of: tenant,
                    with: sealer)
            }
        }
    }
}

extension StoredTenant {
    fileprivate func document(_ entry: ServiceEntry) -> TenantDocument? {
        documents.first { $0.kind == entry.kind && $0.id == entry.id }
    }
}

extension ApplyConfiguration.SettledService {
    /// Why the server does not use an e-mail provider.
    fileprivate var note: String? {
        let opened = OpenedDocument(
            kind: entry.kind, id: entry.id, document: new.document, secrets: new.secrets)
        return MailSettings([opened]) { _ in }.unusedProvider.map { reason in
            "the server does not use the e-mail provider, and sends mails by its own mail server: \(reason)"
        }
    }
}

extension ServiceEntry.Whole {
    /// For comparison only: secrets beside the other members.
    fileprivate var compared: JSONObject {
        var compared = document
        for (name, secret) in secrets { compared["\(ServiceEntry.credentials).\(name)"] = secret }
        return compared
    }
}
