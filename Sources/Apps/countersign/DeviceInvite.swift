import Administration
import Audit
import AuthorizationCore
import Configuration
import CountersignServer
import Localization
import Primitives
import Terminal

extension Command {
    static var deviceInvite: Command {
        let query = Option<String?>.optional(
            "query", .string.placeholder("QUERY"), defaultText: "everybody",
            "Users to invite, in Lucene's syntax, as in countersign user search.")
        let batch = Option<Int>.defaulted(
            "batch", .integer(1...10_000), to: 100, "Number of mails before a pause, or in all without --every.")
        let every = Option<Duration?>.optional(
            "every", .duration(.seconds(1) ... .seconds(86_400)), defaultText: "one batch",
            "Time from one batch to the next. The command runs until everybody is invited.")
        let range = ManageTickets.lifetimeRange
        let expires = Option<Duration?>.optional(
            "expires", .duration(.seconds(range.lowerBound) ... .seconds(range.upperBound)),
            defaultText: "the tenant's enrollment_ticket_lifetime", "Lifetime of each link, which works once.")
        let language = Option<String?>.optional(
            "language", .choice(Language.allCases.map(\.rawValue)), defaultText: "the user's", "Language of the mails.")
        let trial = Option<Bool>.flag("dry-run", "Count the people, and mail nobody.")
        return ObjectCommands.workHere(
            "invite", "Mail links to enrol a phone to the users who have none, in batches.",
            [query, batch, every, expires, language, trial],
            discussion: """
                A user who has a phone, an unused link that still works, no verified address, or is blocked is left out, \
                so that nobody is mailed twice. Run it again after an interruption, and once the links have expired.
                """,
            examples: [
                "count the people": "countersign device invite --dry-run",
                "a first batch, of staff":
                    "countersign device invite --query 'app_metadata.team:staff' --batch 20",
                "everybody, 200 mails an hour": "countersign device invite --batch 200 --every 1h --expires 14d",
            ]
        ) { target, invocation in
            var options = ManageTickets.Options()
            options.lifetime = try invocation[expires].map { Int($0.components.seconds) }
            options.language = try invocation[language].flatMap { Language(tag: $0) }
            let isTrial = try invocation[trial]
            var run = PhoneInvitations(
                target: target, options: options, batch: try invocation[batch], pause: try invocation[every],
                isTrial: isTrial, actor: .commandLine(invocation))
            let output = invocation.output
            try await output.progress(isTrial ? "Counting" : "Inviting") { _ in
                try await target.eachUser(try invocation[query]) { try await run.take($0) }
            }
            try ObjectCommands.print(run.json, run.lines, invocation)
            if run.mails > 0 { output.notes(await target.notesOnMails(isTrial: isTrial)) }
            if run.left > 0 {
                output.note("\(run.left) more can be invited: run the command again, or give --every")
            }
        }
    }
}

/// A run over a tenant's users.
private struct PhoneInvitations {
    let target: ObjectCommands.Target
    let options: ManageTickets.Options
    let batch: Int
    let pause: Duration?
    let isTrial: Bool
    let actor: AuditEvent.Actor
    private var counts: [InvitePhones.Outcome: Int] = [:]
    /// People beyond the only batch.
    private(set) var left = 0

    init(
        target: ObjectCommands.Target, options: ManageTickets.Options, batch: Int, pause: Duration?, isTrial: Bool,
        actor: AuditEvent.Actor
    ) {
        self.target = target
        self.options = options
        self.batch = batch
        self.pause = pause
        self.isTrial = isTrial
        self.actor = actor
    }

    mutating func take(_ user: UserID) async throws {
        let invitations = target.installation.phoneInvitations
        let invited = counts[.invited] ?? 0
        let isFull = !isTrial && invited > 0 && invited.isMultiple(of: batch)
        if isTrial || isFull {
            let outcome = try await invitations.outcome(for: user, of: target.tenant.id, now: SystemClock().now)
            guard outcome == .invited, isFull else { return count(outcome) }
            guard let pause else {
                left += 1
                return
            }
            try await Task.sleep(for: pause)
        }
        let context = AdministrativeContext(tenant: target.tenant.id, actor: actor, now: SystemClock().now)
        count(try await invitations.invite(user, options, tenant: target.tenant, for: context))
    }

    private mutating func count(_ outcome: InvitePhones.Outcome?) {
        guard let outcome else { return }
        counts[outcome, default: 0] += 1
    }

    /// Mails that were queued, or would be.
    var mails: Int { counts[.invited] ?? 0 }

    var json: JSONValue {
        var json: JSONObject = ["dry_run": .bool(isTrial)]
        for outcome in InvitePhones.Outcome.allCases {
            json[outcome.rawValue] = .number(JSONNumber(counts[outcome] ?? 0))
        }
        json["left"] = .number(JSONNumber(left))
        return .object(json)
    }

    var lines: [Text] {
        let words: [InvitePhones.Outcome: String] = [
            .invited: isTrial ? "would be invited" : "invited, by mails in the queue", .hasPhone: "have a phone",
            .isInvited: "have an unused link", .isBlocked: "are blocked", .hasNoAddress: "have no verified address",
        ]
        return InvitePhones.Outcome.allCases.map { Text("\(counts[$0] ?? 0) \(words[$0] ?? "")") }
    }
}

extension ObjectCommands.Target {
    /// The mails are queued: only a mail server that works makes them go out.
    fileprivate func notesOnMails(isTrial: Bool) async -> [Text] {
        let settings = try? await installation.mailSettings(of: tenant.id)
        let check: Text =
            settings?.relay == nil
            ? "The tenant has no mail server of its own. countersign doctor examines the server's, without which mails wait."
            : "countersign mail provider check --to YOUR-ADDRESS tests the tenant's mail server."
        let shown: Text = "countersign deliveries --user USER shows a person's mails, waiting ones too."
        return isTrial
            ? [check] : ["The mails wait in the queue until the running server has sent them.", check, shown]
    }

    /// Calls `work` with each user that the query finds, in parts, each after the last user of the one before.
    fileprivate func eachUser(_ query: String?, _ work: (UserID) async throws -> Void) async throws {
        var next: String?
        repeat {
            let request = SearchUsers.Request(
                query: query, part: .following(next, count: SearchUsers.sizeLimit))
            let found: UserSearchResult
            do {
                found = try await installation.userSearch.search(request, tenant: tenant.id)
            } catch SearchUsers.Failure.query(let error) {
                throw CommandFailure(
                    "the query cannot be read: \(error)", hint: "docs/management.md has a table of the fields")
            }
            for record in found.users { try await work(record.user.id) }
            next = found.next?.opaque
        } while next != nil
    }
}
