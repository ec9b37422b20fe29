import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import Localization
import HTTPModel
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
        return ObjectCommands.work(
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
            var options = JSONObject()
            options["ttl_sec"] = try invocation[expires].map { .number(JSONNumber(Int($0.components.seconds))) }
            options["email_locale"] = try invocation[language].map(JSONValue.string)
            let isTrial = try invocation[trial]
            var run = PhoneInvitations(
                target: target, options: options, batch: try invocation[batch], pause: try invocation[every],
                isTrial: isTrial)
            let output = invocation.output
            let query: KeyValuePairs<String, String> =
                if let query = try invocation[query] { ["q": query, "fields": "user_id"] } else {
                    ["fields": "user_id"]
                }
            var failure: (any Error)?
            do {
                try await output.progress(isTrial ? "Counting" : "Inviting") { _ in
                    try await target.each("/users", key: "users", query: query) { user in
                        try await run.take(user["user_id"]?.stringValue ?? "")
                    }
                }
            } catch { failure = error }
            // A run that broke off says how far it came.
            if let failure, !run.isBegun { throw failure }
            try ObjectCommands.print(run.json, run.lines, invocation)
            if run.mails > 0 { output.notes(run.notesOnMails) }
            if let failure { throw failure }
            if run.left > 0 {
                output.note("\(run.left) more can be invited: run the command again, or give --every")
            }
        }
    }
}

/// A run over a tenant's users.
private struct PhoneInvitations {
    let target: ManagedTenant
    /// Members of each request.
    let options: JSONObject
    let batch: Int
    let pause: Duration?
    let isTrial: Bool
    private var counts: [InvitePhones.Outcome: Int] = [:]
    /// People beyond the only batch.
    private(set) var left = 0

    init(target: ManagedTenant, options: JSONObject, batch: Int, pause: Duration?, isTrial: Bool) {
        self.target = target
        self.options = options
        self.batch = batch
        self.pause = pause
        self.isTrial = isTrial
    }

    var isBegun: Bool { !counts.isEmpty }

    /// Nil for a user who is gone.
    private func invite(_ user: String, isTrial: Bool) async throws -> InvitePhones.Outcome? {
        var request = options
        request["user_id"] = .string(user)
        request["dry_run"] = .bool(isTrial)
        do {
            return try await target.send(.post, "/guardian/enrollments/invitations", request)["outcome"]?.stringValue
                .flatMap(InvitePhones.Outcome.init(rawValue:))
        } catch AdministrationFailure.unknown(.user) {
            return nil
        }
    }

    mutating func take(_ user: String) async throws {
        let invited = counts[.invited] ?? 0
        let isFull = !isTrial && invited > 0 && invited.isMultiple(of: batch)
        if isTrial || isFull {
            let outcome = try await invite(user, isTrial: true)
            guard outcome == .invited, isFull else { return count(outcome) }
            guard let pause else {
                left += 1
                return
            }
            try await Task.sleep(for: pause)
        }
        count(try await invite(user, isTrial: false))
    }

    private mutating func count(_ outcome: InvitePhones.Outcome?) {
        guard let outcome else { return }
        counts[outcome, default: 0] += 1
    }

    /// Mails that were queued, or would be.
    var mails: Int { counts[.invited] ?? 0 }

    /// Only a mail server that works makes the mails go out.
    var notesOnMails: [Text] {
        let check = Text(
            "countersign mail provider check --to YOUR-ADDRESS tests the tenant's mail server. Without one of its own, "
                + "countersign doctor examines the server's.")
        let shown: Text = "countersign deliveries --user USER shows a person's mails, waiting ones too."
        return isTrial
            ? [check] : ["The mails wait in the queue until the running server has sent them.", check, shown]
    }

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
            .hasAuthenticator: "have an authenticator app: they add a phone on their account's pages",
            .isInvited: "have an unused link", .isBlocked: "are blocked", .hasNoAddress: "have no verified address",
        ]
        return InvitePhones.Outcome.allCases.map { Text("\(counts[$0] ?? 0) \(words[$0] ?? "")") }
    }
}
