import Administration
import Audit
import AuthorizationCore
import Configuration
import CountersignServer
import Flows
import Glibc
import HTTPModel
import Primitives
import Terminal

/// Commands for a tenant's mail: its own mail server, its templates, and addresses that refuse mail.
extension Command {
    static var mail: Command {
        Command(
            "mail", "Manage a tenant's mail server and templates, and note returned mails.",
            examples: [setProvider, setTemplate, bounce].flatMap { $0.examples.prefix(1) },
            subcommands: [
                Command(
                    "provider", "Manage the tenant's own mail server.", examples: setProvider.examples,
                    subcommands: [showProvider, setProvider, removeProvider, checkProvider]),
                Command(
                    "template", "Manage the tenant's templates of mails.", examples: setTemplate.examples,
                    subcommands: [listTemplates, showTemplate, setTemplate, removeTemplate, previewTemplate]),
                bounce,
            ])
    }

    // MARK: the provider

    private static var showProvider: Command {
        ObjectCommands.work(
            "show", "Show the provider without its secrets.", [],
            examples: ["show it": "countersign mail provider show"]
        ) { target, invocation in
            try ObjectCommands.print(try await target.get("/emails/provider"), invocation)
            await noteUnused(target, invocation.output)
        }
    }

    /// Notes why the server does not use the tenant's provider.
    private static func noteUnused(_ target: ManagedTenant, _ output: Output) async {
        // Without the master key, nobody can tell.
        guard let home = target.home else { return }
        let settings = try? await home.installation.mailSettings(of: home.tenant.id)
        guard let reason = settings?.unusedProvider else { return }
        output.note("the server does not use the provider, and sends mails by its own mail server: \(reason)")
    }

    private static var setProvider: Command {
        let document = DocumentOptions(
            members: [
                DocumentOptions.Member("default_from_address", "Sender of mails, and recipient of bounces.")
            ], secret: "credentials")
        return ObjectCommands.work(
            "set", "Set the provider, in place of the one before.", document.declarations,
            discussion: """
                The document is that of the Management API. It has secrets, so it comes from a file or from standard \
                input. A provider that is spoken to by SMTP sends the tenant's mails instead of the server's own \
                mail server, always over TLS. Providers: \(EmailProvider.credentialsText).
                """,
            examples: [
                "send by a mail server of one's own":
                    "countersign mail provider set --default-from-address login@shop.example --file provider.json",
                "read the document from standard input": "countersign mail provider set --file - <provider.json",
            ]
        ) { target, invocation in
            let given = try document.read(invocation)
            try ObjectCommands.print(try await replace(given, target), invocation)
            await noteUnused(target, invocation.output)
        }
    }

    /// Sets the provider as a whole. One that is there loses what the document does not have.
    private static func replace(_ document: JSONObject, _ target: ManagedTenant) async throws -> JSONObject {
        do { return try await target.send(.post, "/emails/provider", document) } catch AdministrationFailure.conflict {
            let presets: JSONObject = ["enabled": true, MailSettings.senderMember: .null, "settings": .null]
            var whole = document.completed(with: presets)
            let given = document[EmailProvider.credentialsMember]
            guard var credentials = given == nil ? [:] : given?.objectValue else {
                return try await target.send(.patch, "/emails/provider", whole)
            }
            let provider = document["name"]?.stringValue.flatMap(EmailProvider.init(rawValue:))
            for credential in provider?.credentials ?? [] where credentials[credential.name] == nil {
                credentials[credential.name] = JSONValue.null
            }
            whole[EmailProvider.credentialsMember] = .object(credentials)
            return try await target.send(.patch, "/emails/provider", whole)
        }
    }

    private static var removeProvider: Command {
        ObjectCommands.work(
            "remove", "Remove the provider. Mails then go by the server's own mail server.",
            [ObjectCommands.yes],
            examples: ["in a script": "countersign mail provider remove --yes"]
        ) { target, invocation in
            _ = try await target.get("/emails/provider")
            try await ObjectCommands.confirmDeletion(of: "the e-mail provider", invocation)
            try await target.send(.delete, "/emails/provider")
            try ObjectCommands.printDeleted("provider", invocation)
        }
    }

    private static var checkProvider: Command {
        let recipient = Option<String?>.optional(
            "to", .string.placeholder("ADDRESS"), "Address to which a small test mail is sent.")
        return .credentialCheck(
            "check", "Connect to the tenant's mail server and log in. Sends a mail only with --to.",
            discussion: "A provider that the server does not use is a warning.", options: [recipient],
            examples: [
                "check the credentials": "countersign mail provider check",
                "send a test mail": "countersign mail provider check --to hanna@shop.example",
            ]
        ) { checked in
            let address = try checked.invocation[recipient].map { try EmailAddress($0, of: "--to") }
            let mail = try await checked.installation.mailSettings(of: checked.tenant.id)
            var findings = await checked.settings.checkRelay(of: mail)
            guard !findings.isEmpty else {
                throw CommandFailure(
                    "the tenant has no e-mail provider of its own", hint: "countersign mail provider set sets one")
            }
            if let address, findings.allSatisfy({ $0.state == .ok }),
                let sent = await checked.settings.sendTestMail(to: address, by: mail, now: SystemClock().now)
            {
                findings.append(sent)
            }
            return findings
        }
    }

    // MARK: templates

    private static let kind = Option<MailTemplate.Kind>.argument("TEMPLATE", .choice(), "Name of the template.")

    private static var listTemplates: Command {
        ObjectCommands.work(
            "list", "Show the tenant's templates.", [],
            examples: ["all of them": "countersign mail template list"]
        ) { target, invocation in
            var documents: [JSONObject] = []
            for kind in MailTemplate.Kind.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
                do {
                    var document = try await target.get("/email-templates/{name}", kind.rawValue)
                    document["sent"] = .bool(kind.isSent)
                    documents.append(document)
                } catch AdministrationFailure.unknown {}
            }
            try ObjectCommands.print(
                ObjectCommands.Listing(documents),
                columns: [
                    "TEMPLATE": "template", "ENABLED": "enabled", "SENT": "sent", "SUBJECT": "subject",
                ], invocation)
        }
    }

    private static var showTemplate: Command {
        ObjectCommands.work(
            "show", "Show one template.", [kind],
            examples: ["show one": "countersign mail template show async_approval"]
        ) { target, invocation in
            try ObjectCommands.print(
                try await target.get("/email-templates/{name}", try invocation[kind].rawValue), invocation)
        }
    }

    private static var setTemplate: Command {
        let body = Option<String?>.optional("body", .path, "File with the HTML; - reads it from standard input.")
        let document = DocumentOptions(members: [
            DocumentOptions.Member("subject", "Subject. May have Liquid."),
            DocumentOptions.Member("from", "Sender, if the tenant has a mail server of its own. May have Liquid."),
        ])
        return ObjectCommands.work(
            "set", "Set members of a template. A new template is enabled.",
            [kind, body] + document.declarations,
            examples: [
                "the mail that asks for approval":
                    "countersign mail template set async_approval --subject 'Please answer' --body approval.html",
                "back to the built-in text": "countersign mail template set async_approval --set enabled=false",
            ]
        ) { target, invocation in
            var given = try document.read(invocation)
            if let file = try invocation[body] {
                given["body"] = .string(String(decoding: try readFile(file), as: UTF8.self))
            }
            guard !given.isEmpty else { throw UsageError("nothing to change was given", hint: "for example --subject") }
            let kind = try invocation[kind]
            let new: JSONObject
            do {
                new = try await target.send(.patch, "/email-templates/{name}", [kind.rawValue], given)
            } catch AdministrationFailure.unknown {
                // Empty texts count as absent.
                let presets: JSONObject = [
                    "template": .string(kind.rawValue), "body": "", "from": "", "subject": "", "syntax": "liquid",
                    "enabled": true,
                ]
                new = try await target.send(.post, "/email-templates", given.completed(with: presets))
            }
            try ObjectCommands.print(new, invocation)
            warn(of: try MailTemplate(kind, new), kind, invocation)
            if !kind.isSent {
                invocation.output.note(
                    "the server sends no mails of the kind \(kind.rawValue); the template is only kept")
            }
        }
    }

    /// Warns of values that no mail of the kind has. They come out empty.
    private static func warn(of template: MailTemplate, _ kind: MailTemplate.Kind, _ invocation: Invocation) {
        let unknown = template.unknownPaths(in: kind).prefix(20)
        guard !unknown.isEmpty else { return }
        invocation.output.warning(
            "no mail of the kind \(kind.rawValue) has the values \(unknown.joined(separator: ", ")); they are empty"
        )
    }

    private static var removeTemplate: Command {
        ObjectCommands.work(
            "remove", "Remove a template. Its mails then have the built-in text.",
            [kind, ObjectCommands.yes],
            examples: ["in a script": "countersign mail template remove async_approval --yes"]
        ) { target, invocation in
            let kind = try invocation[kind]
            _ = try await target.get("/email-templates/{name}", kind.rawValue)
            try await ObjectCommands.confirmDeletion(of: "the template \(kind.rawValue)", invocation)
            try await target.send(.delete, "/email-templates/{name}", [kind.rawValue])
            try ObjectCommands.printDeleted(kind.rawValue, invocation)
        }
    }

    private static var previewTemplate: Command {
        let part = Option<String>.defaulted("part", .choice(["html", "text", "subject"]), to: "html", "Part to print.")
        return ObjectCommands.workHere(
            "preview", "Print a mail as it would be sent, with sample values.", [kind, part],
            examples: [
                "look at it in a browser": "countersign mail template preview async_approval >mail.html",
                "the text for plain readers": "countersign mail template preview async_approval --part text",
            ]
        ) { target, invocation in
            let settings = try await target.installation.mailSettings(of: target.tenant.id)
            let kind = try invocation[kind]
            let (finished, problem) = MailPreview(tenant: target.tenant, mail: settings).finished(
                kind, now: target.context.now)
            if let problem { throw CommandFailure(problem) }
            if let template = settings.template([kind]) { warn(of: template, kind, invocation) }
            switch try invocation[part] {
            case "text": invocation.output.raw(finished.text)
            case "subject": invocation.output.raw(finished.subject)
            default: invocation.output.raw(finished.html)
            }
        }
    }

    // MARK: bounces

    private static var bounce: Command {
        onDataFolder(
            "bounce", "Read a returned mail on standard input, and stop sending requests to its address.",
            discussion: """
                For a pipe of the mail server (docs/mail.md). The report counts only if it returns a mail that this \
                server sent to that address, and if it condemns the address. It then gets no requests until it changes \
                or is verified again. A report that does not count is noted and ignored.

                The exit status is 0, 2 for a wrong command line, and 75 (EX_TEMPFAIL) if something else fails: the \
                mail server then keeps the report and tries again.
                """,
            options: [ObjectCommands.json],
            examples: ["read a report": "countersign mail bounce <report.eml"]
        ) { installation, invocation in
            let bytes = try readFile("-", limit: BounceReport.limit + 1)
            let output = invocation.output
            let outcome: NoteBounce.Outcome
            if let report = BounceReport(parsing: bytes) {
                let actor = AuditEvent.Actor.commandLine(invocation)
                outcome = try await installation.noteBounce(report, actor: actor)
            } else {
                outcome = .ignored("standard input has no report of a returned mail (RFC 3464)")
            }
            switch outcome {
            case .ignored(let reason):
                if try invocation[ObjectCommands.json] {
                    output.json(["ignored": .string(reason)])
                } else {
                    output.note(Text(reason))
                }
            case .retired(let address, let tenant, let users):
                try ObjectCommands.print(
                    [
                        "email": .string(address.description), "tenant": .string(tenant.rawValue),
                        "user_ids": JSONValue(users.map(\.rawValue)),
                    ], ["\(address) of the tenant \(tenant) gets no requests any more"], invocation)
            case .returned(let address, let tenant):
                try ObjectCommands.print(
                    ["email": .string(address.description), "tenant": .string(tenant.rawValue)],
                    ["the request to \(address) of the tenant \(tenant) goes on elsewhere, or ends"], invocation)
            }
            return 0
        }.exitingOnFailure(with: EX_TEMPFAIL)
    }
}
