import AuthorizationCore
package import Configuration
import PasswordHashes
import Primitives

extension ManageUserJobs {
    /// Longest list of administrators who get a mail about an import.
    private static let mailedLimit = 20

    /// A user of a part, read before the transaction.
    private struct Read: Sendable {
        /// The user without secrets. Null for one that is no JSON object.
        let shown: JSONValue
        let result: Result<Taken, ImportedUser.Refusal>
    }

    private struct Taken: Sendable {
        let imported: ImportedUser
        let new: ManageUsers.NewUser
        let authenticators: [NewAuthenticator]
    }

    private enum Outcome {
        case inserted
        case updated
        case refused(ImportedUser.Refusal)
    }

    func importPart(
        of job: UserJob, _ order: UserJobOrder, _ details: UserJobOrder.Import, for context: AdministrativeContext
    ) async throws -> UserJob {
        let read = try await readPart(of: job, order, now: context.now)
        return try await store.change(for: context) { change in
            guard try change.reader.job(job.id, in: job.tenant, since: job.createdAt)?.place == job.place else {
                throw JobMoved()
            }
            let written = try Self.write(read, from: job.place * Self.partSize, details, change)
            var next = job
            next.counts.inserted += written.counts.inserted
            next.counts.updated += written.counts.updated
            next.counts.failed += written.counts.failed
            next.place = min(job.place + 1, job.parts)
            next.status = .processing
            if next.place == job.parts {
                next.status = .completed
                next.endedAt = change.now
                try Self.record(next, change)
                // Nobody waits for word of an empty file.
                if details.sendsMail, next.counts.total > 0 { try mail(next, change) }
            }
            // Last, so that a part that another process did undoes all.
            try change.advance(next, from: job.place, errors: written.errors)
            return next
        }
    }

    /// Tries an import of the file without doing it. Users whom a file has twice count once as new. `each` gets
    /// the counts and errors of every part.
    package func tryImport(
        _ file: [UInt8], into connection: String, _ details: UserJobOrder.Import, for context: AdministrativeContext,
        each: (UserJob.Counts, [UserJobError]) -> Void
    ) async throws {
        let (elements, database) = try await elements(of: file, into: connection, details, for: context)
        for part in Self.parts(of: elements) {
            let read = part.map { self.read(file[$0], database, context.tenant, context.now) }
            do {
                try await store.change(for: context) { change -> Void in
                    throw Trial(written: try Self.write(read, from: part.startIndex, details, change))
                }
            } catch let trial as Trial {
                each(trial.written.counts, trial.written.errors)
            }
        }
    }

    /// Undoes what a trial wrote.
    private struct Trial: Error { let written: Written }

    private struct Written: Sendable {
        var counts = UserJob.Counts()
        var errors: [UserJobError] = []
    }

    /// `first` is the place of the first of them in the file.
    private static func write(
        _ read: [Read], from first: Int, _ details: UserJobOrder.Import, _ change: UserChange
    ) throws -> Written {
        var written = Written()
        let roles = try roles(of: read, change)
        for (index, user) in read.enumerated() {
            switch try outcome(of: user, upsert: details.upsert, roles: roles, change) {
            case .inserted: written.counts.inserted += 1
            case .updated: written.counts.updated += 1
            case .refused(let refusal):
                written.counts.failed += 1
                written.errors.append(
                    UserJobError(
                        number: first + index,
                        document: ["user": user.shown, "errors": .array(refusal.problems.map(\.json))]))
            }
        }
        return written
    }

    /// Opens and reads the next part. Empty for a job without one.
    private func readPart(of job: UserJob, _ order: UserJobOrder, now: Timestamp) async throws -> [Read] {
        guard job.place < job.parts else { return [] }
        guard let sealed = try await store.read({ try $0.part(job.place, of: job) }) else { throw JobMoved() }
        let context = UserJob.partContext(tenant: job.tenant, id: job.id, number: job.place)
        let part = try sealer.open(sealed, context: context).bytes
        let connections = try await store.view(job.tenant) { try $0.connectionsOrDefault() }
        guard let connection = connections.first(where: { $0.name == order.connection }), connection.isDatabase else {
            throw AdministrationFailure.unknown(.connection)
        }
        return (JSONElements.ranges(in: part) ?? []).map { read(part[$0], connection, job.tenant, now) }
    }

    private func read(
        _ text: ArraySlice<UInt8>, _ connection: LoginConnection, _ tenant: TenantID, _ now: Timestamp
    ) -> Read {
        guard let document = try? JSONReader.parse(Array(text)).objectValue else {
            return Read(
                shown: .null, result: .failure(ImportedUser.Refusal("INVALID_FORMAT", "is no JSON object")))
        }
        return Read(
            shown: .object(ImportedUser.redacted(document)),
            result: Result { () throws(ImportedUser.Refusal) in try read(document, connection, tenant, now) })
    }

    private func read(
        _ document: JSONObject, _ connection: LoginConnection, _ tenant: TenantID, _ now: Timestamp
    ) throws(ImportedUser.Refusal) -> Taken {
        let imported = try ImportedUser(document, users.passwords)
        do {
            let new = try users.newUser(imported.profile, of: connection, now: now)
            let authenticators = try imported.authenticators.map { app in
                try NewAuthenticator(app, of: new.user.id, tenant: tenant, at: now, sealer, random)
            }
            return Taken(imported: imported, new: new, authenticators: authenticators)
        } catch let failure as AdministrationFailure {
            throw ImportedUser.Refusal(failure)
        } catch {
            throw ImportedUser.Refusal("INVALID_FORMAT", "cannot be read")
        }
    }

    /// Roles that exist, if a user of the part names some.
    private static func roles(of read: [Read], _ change: UserChange) throws -> Set<RoleID> {
        let named = read.contains { (try? $0.result.get().imported.roles) != nil }
        return named ? Set(try change.reader.all(Role.self, of: change.tenant).map(\.id)) : []
    }

    /// Writes nothing of a user who is refused. Throws what undoes the part: errors of the store.
    private static func outcome(
        of user: Read, upsert: Bool, roles: Set<RoleID>, _ change: UserChange
    ) throws -> Outcome {
        do {
            return try write(user.result.get(), upsert: upsert, roles: roles, change)
        } catch let refusal as ImportedUser.Refusal {
            return .refused(refusal)
        } catch let failure as AdministrationFailure {
            return .refused(ImportedUser.Refusal(failure))
        }
    }

    private static func write(
        _ taken: Taken, upsert: Bool, roles: Set<RoleID>, _ change: UserChange
    ) throws -> Outcome {
        let (imported, new) = (taken.imported, taken.new)
        if let given = imported.roles {
            try change.context.requireOwn(["update:users"], to: "giving roles")
            guard roles.isSuperset(of: given) else {
                throw ImportedUser.Refusal("INVALID_FORMAT", "must be ids of roles of the tenant", at: "roles")
            }
        }
        guard let existing = try existing(new.user, isIDGiven: imported.profile["user_id"] != nil, change) else {
            var user = new.user
            user.roles = imported.roles ?? []
            let person = try ManageUsers.create(
                ManageUsers.NewUser(user: user, metadata: new.metadata), passwordHash: imported.passwordHash,
                fields: taken.authenticators.isEmpty ? [] : ["mfa_factors"], change)
            for authenticator in taken.authenticators { try person.add(authenticator) }
            return .inserted
        }
        guard upsert else {
            throw ImportedUser.Refusal("DUPLICATED_USER", "The user exists already: \(existing.rawValue)")
        }
        try update(existing, imported, email: new.user.email, change)
        return .updated
    }

    /// The user whom the file's address, username or id names. Refuses a user of the file who is several.
    private static func existing(_ user: User, isIDGiven: Bool, _ change: UserChange) throws -> UserID? {
        var found: Set<UserID> = []
        if let email = user.email, let id = try change.reader.user(email: email, in: change.tenant) { found.insert(id) }
        if let name = user.username, let id = try change.reader.user(username: name, in: change.tenant) {
            found.insert(id)
        }
        if isIDGiven, try change.reader.user(user.id, in: change.tenant) != nil { found.insert(user.id) }
        guard found.count < 2 else {
            throw ImportedUser.Refusal("DUPLICATED_USER", "The address, the username and the id are of different users")
        }
        return found.first
    }

    /// Changes what Auth0 changes of an existing user. A password's hash is replaced while the person has not logged in
    /// with the one that came from another server.
    private static func update(
        _ id: UserID, _ imported: ImportedUser, email: EmailAddress?, _ change: UserChange
    ) throws {
        guard let person = try change.user(id) else { throw AdministrationFailure.unknown(.user) }
        // Its other members, such as `email_verified`, are about the file's address.
        if let email, email != person.user.email {
            throw ImportedUser.Refusal(
                "DUPLICATED_USER", "The user has another address, which an import does not change")
        }
        var hash: String?
        if let new = imported.passwordHash, imported.updatesPassword, new != person.passwordHash,
            person.passwordHash.map(ForeignPasswordHash.isForeign) ?? false
        {
            hash = new
        }
        try ManageUsers.update(
            person, with: imported.changes, metadata: imported.profile, passwordHash: hash, roles: imported.roles,
            change)
    }

    /// Mails the tenant's administrators, whose addresses are verified, that the import is done.
    private func mail(_ job: UserJob, _ change: UserChange) throws {
        guard let tenant = try change.reader.tenant(job.tenant) else { return }
        let administrators = try change.reader.members(
            of: Administrators.roleID, in: job.tenant, after: nil, skip: 0, limit: Self.mailedLimit)
        for person in administrators where person.emailVerified && !person.blocked {
            guard let address = person.email else { continue }
            try change.enqueue(
                mails.imported(job.counts, to: address, user: person, tenant: tenant, now: change.now))
        }
    }
}

extension ImportedUser.Refusal.Problem {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["code": .string(code), "message": .string(message)]
        json["path"] = path.map(JSONValue.string)
        return .object(json)
    }
}
