import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import Flows
import GuardianWire
import Localization
import OAuthWire
import Primitives
import QRCodes
import Terminal

extension Command {
    static var device: Command {
        Command(
            "device", "Enrol, list and remove users' phones.",
            examples: [deviceTicket, deviceInvite, deviceList].flatMap { $0.examples.prefix(1) },
            subcommands: [deviceList, deviceShow, deviceTicket, deviceInvite, deviceUpdate, deviceRemove]
        ).hints([
            "create": enrollment, "add": enrollment, "enroll": enrollment,
            "delete": "countersign device remove removes a phone",
        ])
    }

    private static let enrollment = "phones enrol themselves: countersign device ticket prints an enrolment ticket"

    private static let user = Option<String>.required(
        "user", short: "u", .string.placeholder("USER"), "User, by id, verified e-mail address or phone number.")
    private static let json = ObjectCommands.json

    private static func deviceCommand(
        _ name: String, _ summary: String, _ options: [any DeclaredOption], examples: Command.Examples,
        _ work: @escaping @Sendable (ObjectCommands.Target, Invocation) async throws -> Void
    ) -> Command {
        onDataFolder(
            name, summary, options: options + [Installation.tenantOption], examples: examples
        ) { installation, invocation in
            try await work(try await ObjectCommands.Target(installation, invocation), invocation)
            return 0
        }
    }

    /// Runs `work` with the device that the arguments name.
    private static func oneDevice(
        _ name: String, _ summary: String, _ options: [any DeclaredOption], examples: Command.Examples,
        _ work: @escaping @Sendable (DeviceID, ObjectCommands.Target, Invocation) async throws -> Void
    ) -> Command {
        deviceCommand(name, summary, [id] + options, examples: examples) { target, invocation in
            let id = DeviceID(try invocation[id])
            do { try await work(id, target, invocation) } catch AdministrationFailure.unknown {
                throw CommandFailure(
                    "the tenant \(target.tenant.id) has no device \(id)",
                    hint: "countersign device list --user USER shows the devices")
            }
        }
    }

    private static var deviceTicket: Command {
        let range = ManageTickets.lifetimeRange
        let expires = Option<Duration?>.optional(
            "expires", .duration(.seconds(range.lowerBound) ... .seconds(range.upperBound)),
            defaultText: "the tenant's enrollment_ticket_lifetime", "Lifetime of the ticket, which can be used once.")
        let qr = Option<Bool>.flag("qr", "Also draw a QR code.")
        let link = Option<Bool>.flag("link", "Print a link to the web app instead, which any phone's camera can read.")
        let page = Option<Bool>.flag(
            "page", "Print a link to a page instead, which shows the QR code and tells when the phone was added.")
        let mail = Option<Bool>.flag("send-mail", "Mail the link of the page to the user, and print it.")
        let email = Option<String?>.optional(
            "email", .string.placeholder("ADDRESS"), defaultText: "the user's, if it is verified",
            "Address for the mail.")
        let language = Option<String?>.optional(
            "language", .choice(Language.allCases.map(\.rawValue)), defaultText: "the user's", "Language of the mail.")
        return deviceCommand(
            "ticket", "Create an enrolment ticket: an otpauth:// URI that enrols one phone for a user.",
            [user, expires, qr, link, page, mail, email, language, json],
            examples: [
                "print a QR code that enrols any phone's browser":
                    "countersign device ticket --user 'auth0|65f0' --link --qr",
                "create a ticket that is valid for an hour":
                    "countersign device ticket --user 'auth0|65f0' --expires 1h",
                "mail a link in French": "countersign device ticket --user 'auth0|65f0' --send-mail --language fr",
            ]
        ) { target, invocation in
            let tenant = target.tenant
            let known = try await target.installation.user(try invocation[user], in: tenant)
            var options = ManageTickets.Options()
            options.lifetime = try invocation[expires].map { Int($0.components.seconds) }
            options.allowsMore = true
            options.isMailed = try invocation[mail]
            options.email = try invocation[email].map { try EmailAddress($0, of: "--email") }
            options.language = try invocation[language].flatMap { Language(tag: $0) }
            guard options.isMailed || options.email == nil && options.language == nil else {
                throw UsageError("--email and --language need --send-mail")
            }
            let made = try await ticket(for: known, options, target)
            let uri = EnrollmentURI(
                ticket: made.ticket, account: known.accountName, tenant: tenant)
            let approver = uri.link(toApprover: EndpointPath.approver.url(below: tenant.issuer))
            let output = invocation.output
            if try invocation[json] {
                var document: JSONObject = [
                    "uri": .string(uri.text), "ticket": .string(made.ticket), "page": .string(made.link),
                    "link": .string(approver), "user_id": .string(known.id.rawValue),
                    "tenant": .string(tenant.id.rawValue), "expires_at": .string(made.expiresAt.iso8601),
                ]
                document["mailed_to"] = made.recipient.map { .string($0.description) }
                output.json(.object(document))
            } else {
                let isPage = try options.isMailed || invocation[page]
                let text = try isPage ? made.link : invocation[link] ? approver : uri.text
                if try invocation[qr] { output.qrCode(try QRCode(text)) }
                output.raw(text)
            }
        }
    }

    private static func ticket(
        for user: User, _ options: ManageTickets.Options, _ target: ObjectCommands.Target
    ) async throws -> ManageTickets.Made {
        do {
            return try await target.installation.tickets.make(
                .enrollment, for: user.id, options, tenant: target.tenant, for: target.context)
        } catch AdministrationFailure.unknown {
            // The user was removed meanwhile.
            throw target.tenant.lacks(user.id.rawValue)
        } catch AdministrationFailure.invalid(let problems) where problems.contains(where: { $0.path == "email" }) {
            throw CommandFailure(
                "--email \(problems.map(\.message).joined(separator: ", "))",
                hint: "name the address with --email, or pass on the link that --page prints")
        }
    }

    private static var deviceList: Command {
        deviceCommand(
            "list", "Show a user's enrolled devices.", [user, json],
            examples: ["list a user's phones": "countersign device list --user 'auth0|65f0'"]
        ) { target, invocation in
            let known = try await target.installation.user(try invocation[user], in: target.tenant)
            let phones = try await target.phones(of: known.id)
            try invocation.show(.array(phones.map(\.json)), .of(phones), asJSON: json)
        }
    }

    private static let id = Option<String>.argument("DEVICE", .string, "Id of the device, as in the list.")

    private static var deviceShow: Command {
        oneDevice(
            "show", "Show one device.", [json],
            examples: ["show one phone": "countersign device show dev_D4YdLqbfYlp4Ttx7"]
        ) { id, target, invocation in
            let phone = Phone(device: try await target.installation.devices.device(id, in: target.tenant.id).device)
            try invocation.show(phone.json, .of([phone]), asJSON: json)
        }
    }

    private static var deviceUpdate: Command {
        let name = Option<String>.required("name", .string.placeholder("TEXT"), "New name of the device.")
        return oneDevice(
            "update", "Rename a device.", [name, json],
            examples: ["rename a phone": "countersign device update dev_D4YdLqbfYlp4Ttx7 --name 'Hanna at work'"]
        ) { id, target, invocation in
            let phone = Phone(
                device: try await target.installation.devices.rename(id, to: try invocation[name], for: target.context)
                    .device)
            try invocation.show(phone.json, .of([phone]), asJSON: json)
        }
    }

    private static var deviceRemove: Command {
        oneDevice(
            "remove", "Remove a device. It gets no more requests, and its key is no longer accepted.", [],
            examples: ["remove a lost phone": "countersign device remove dev_D4YdLqbfYlp4Ttx7"]
        ) { id, target, invocation in
            guard try await target.installation.devices.remove(id, for: target.context) else {
                throw AdministrationFailure.unknown(.device)
            }
            invocation.output.line("Removed \(id)")
        }
    }
}

extension Table {
    fileprivate static func of(_ phones: [Phone]) -> Table {
        Table(
            ["DEVICE", "NAME", "PUSH", "ENROLLED", "STATE"],
            rows: phones.map { phone in
                [
                    Text(phone.device.id.rawValue), Text(phone.device.name), Text(phone.service),
                    Text(phone.device.enrolledAt.iso8601),
                    Text(phone.state, phone.refusal == nil && phone.device.keyLostAt == nil ? nil : .yellow),
                ]
            })
    }
}
