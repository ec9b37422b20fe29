package import AuthorizationCore
import Configuration
package import Primitives

extension ManageUserJobs {
    /// Longest life of a link to an export's file.
    private static let linkLifetime = Duration.seconds(600)

    /// Bytes of a part beyond which it has fewer users, down to one.
    static let partBytes = 4_000_000

    /// Names that an export without fields has.
    private static let presetFields = [
        "user_id", "email", "email_verified", "username", "name", "given_name", "family_name", "nickname", "picture",
        "phone_number", "phone_verified", "locale", "blocked", "identities", "user_metadata", "app_metadata",
        "created_at", "updated_at", "last_login", "last_ip", "logins_count",
    ]

    /// Writes the next users as a part, which is sealed.
    func exportPart(
        of job: UserJob, _ order: UserJobOrder, _ details: UserJobOrder.Export, for context: AdministrativeContext
    ) async throws -> UserJob {
        var written = job.counts.inserted
        let count = min(Self.partSize, (details.limit ?? .max) - written)
        var next = job
        var part: [Int: [UInt8]] = [:]
        var rest: String?
        if count > 0 {
            let (text, number, end) = try await page(of: job, order, details, count: count)
            rest = end
            part[job.place] = try sealer.seal(
                JSONWriter.bytes(["next": rest.map(JSONValue.string) ?? .null, "text": .string(text)]),
                context: UserJob.partContext(tenant: job.tenant, id: job.id, number: job.place))
            written += number
            next.counts.inserted = written
        }
        next.place += 1
        next.parts += part.count
        next.status = .processing
        if rest == nil {
            next.status = .completed
            next.endedAt = context.now
        }
        let (new, parts) = (next, part)
        return try await store.change(for: context) { change in
            try change.advance(new, from: job.place, adding: parts)
            if new.endedAt != nil { try Self.record(new, change) }
            return new
        }
    }

    /// The text of the next users, their number, and where the page behind it begins. With much metadata, it has fewer.
    private func page(
        of job: UserJob, _ order: UserJobOrder, _ details: UserJobOrder.Export, count: Int
    ) async throws -> (text: String, number: Int, next: String?) {
        let query = order.usersConnection.map { "identities.connection:\"\(Self.quoted($0))\"" }
        let start = try await cursor(before: job)
        var count = count
        while true {
            let found = try await SearchUsers(store: store).search(
                SearchUsers.Request(query: query, part: .following(start, count: count)), tenant: job.tenant)
            let text = Self.lines(found.users, details, isFirst: job.place == 0)
            if text.utf8.count <= Self.partBytes || count == 1 {
                return (text, found.users.count, found.next?.opaque)
            }
            count = max(1, count / 4)
        }
    }

    /// End of the part before. Nil for the first.
    private func cursor(before job: UserJob) async throws -> String? {
        job.place == 0 ? nil : try await part(job.place - 1, of: job)?["next"]?.stringValue
    }

    private func part(_ number: Int, of job: UserJob) async throws -> JSONValue? {
        guard let sealed = try await store.read({ try $0.part(number, of: job) }) else { return nil }
        let context = UserJob.partContext(tenant: job.tenant, id: job.id, number: number)
        return try JSONReader.parse(try sealer.open(sealed, context: context).bytes)
    }

    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    // MARK: the file

    /// The text of one part of an export that is done. Nil behind the last.
    package func text(_ number: Int, of made: Made) async throws -> String? {
        guard number < made.job.parts else { return nil }
        // A part that is gone must not look like the end of the file.
        return try await part(number, of: made.job).orUnknown(.job)["text"]?.stringValue
    }

    /// Objects in lines (NDJSON), or lines of RFC 4180 with a head.
    private static func lines(_ users: [UserRecord], _ order: UserJobOrder.Export, isFirst: Bool) -> String {
        let fields =
            order.fields.isEmpty ? presetFields.map { UserJobOrder.ExportedField(name: $0) } : order.fields
        var text = ""
        if isFirst, order.format == .csv { text += row(fields.map { .string($0.exportAs) }) }
        for user in users {
            let document = JSONValue.object(user.apiDocument)
            switch order.format {
            case .json:
                var shown = JSONObject()
                for field in fields { shown[field.exportAs] = document.value(at: field.name) }
                text += JSONWriter.string(.object(shown)) + "\n"
            case .csv: text += row(fields.map { document.value(at: $0.name) ?? .null })
            }
        }
        return text
    }

    private static func row(_ values: [JSONValue]) -> String {
        let cells = values.map { value in
            switch value {
            case .null: ""
            case .string(let text): Self.cell(text, isText: true)
            default: Self.cell(JSONWriter.string(value), isText: false)
            }
        }
        return cells.joined(separator: ",") + "\r\n"
    }

    /// Characters with which spreadsheets begin a formula (OWASP, CSV Injection).
    private static let formulaStarts = Set("=+-@\t\r\n＝＋－＠".unicodeScalars)
    private static let quotedScalars = Set("\",;\t\r\n".unicodeScalars)

    /// A cell of RFC 4180. People choose their own names, so a text that a spreadsheet would take for a formula gets an
    /// apostrophe in front. Such a text with apostrophes in front gets one more: without the first, each is as it was.
    /// Numbers and JSON are no formulas.
    ///
    /// Reads scalars, because a mark behind a comma or a quotation mark makes one character of both.
    private static func cell(_ text: String, isText: Bool) -> String {
        let start = text.unicodeScalars.first { $0 != "'" }
        let isFormula = isText && start.map(formulaStarts.contains) ?? false
        guard isFormula || text.unicodeScalars.contains(where: quotedScalars.contains) else { return text }
        var cell = String.UnicodeScalarView("\"".unicodeScalars)
        if isFormula { cell.append("'") }
        for scalar in text.unicodeScalars {
            if scalar == "\"" { cell.append(scalar) }
            cell.append(scalar)
        }
        cell.append("\"")
        return String(cell)
    }

    // MARK: links

    /// Name and proof of a link to the file that works for a while without a token. Nil while there is no file.
    package func link(to made: Made, now: Timestamp) -> String? {
        guard made.job.kind == .usersExport, made.job.status == .completed else { return nil }
        let end = (now + Self.linkLifetime).milliseconds
        return "\(made.job.id)/\(end)/\(Base64URL.encode(proof(of: made, until: end)))"
    }

    /// The export that a link names, whose parts are the file. Throws for a link that nobody made, or that is over.
    package func export(
        _ id: String, until end: String, proof: String, of tenant: TenantID, now: Timestamp
    ) async throws -> Made {
        let made = try await job(id, of: tenant, now: now)
        guard made.job.kind == .usersExport, made.job.status == .completed, let end = Int64(end),
            now.milliseconds < end, let given = Base64URL.decode(proof),
            constantTimeEquals(given, self.proof(of: made, until: end))
        else { throw AdministrationFailure.unknown(.job) }
        return made
    }

    private func proof(of made: Made, until end: Int64) -> [UInt8] {
        hashing.hmac(.sha256, key: Array(made.order.linkKey.utf8), Array("\(made.job.id) \(end)".utf8))
    }
}

extension JSONValue {
    /// The value at a path such as `user_metadata.plan` or `identities[0].connection`.
    fileprivate func value(at place: String) -> JSONValue? {
        var value: JSONValue? = self
        for step in place.split(separator: ".") {
            let parts = step.split(separator: "[")
            value = parts.first.flatMap { value?[String($0)] }
            for index in parts.dropFirst() {
                value = index.last == "]" ? Int(index.dropLast()).flatMap { value?[$0] } : nil
            }
        }
        return value
    }
}
