import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import Localization
import Primitives
import QRCodes
import Terminal

extension Command {
    static var device: Command {
        Command(
            "device", "Enrol, list and remove users' phones.",
            examples: [deviceTicket, deviceInvite, deviceList].flatMap { $0.examples.prefix(1) },
            subcommands: [deviceList, deviceShow, deviceTicket, deviceInvite, deviceUpdate, deviceRemove, deviceReset]
        ).hints([
            "create": enrollment, "add": enrollment, "enroll": enrollment,
            "delete": "countersign device remove removes a phone",
        ])
    }

    private static let enrollment = "phones enrol themselves: countersign device ticket prints an enrolment ticket"

    private static let user = Option<String>.required(
        "user", short: "u", .string.placeholder("USER"), "User, by id, verified e-mail address or phone number.")
    private static let json = ObjectCommands.json

    /// Runs `work` with the device that the arguments name.
    private static func oneDevice(
        _ name: String, _ summary: String, _ options: [any DeclaredOption], examples: Command.Examples,
        _ work: @escaping @Sendable (Phone, ManagedTenant, Invocation) async throws -> Void
    ) -> Command {
        onTenant(name, summary, options: [id] + options, examples: examples) { target, invocation in
            let id = try invocation[id]
            do {
                let phone = try await target.get("/guardian/enrollments/{id}", id)
                try await work(Phone(document: phone), target, invocation)
            } catch AdministrationFailure.unknown {
                throw CommandFailure(
                    "the tenant \(target.name) has no device \(id)",
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
        return onTenant(
            "ticket", "Create an enrolment ticket: an otpauth:// URI that enrols one phone for a user.",
            options: [user, expires, qr, link, page, mail, email, language, json],
            examples: [
                "print a QR code that enrols any phone's browser":
                    "countersign device ticket --user 'auth0|65f0' --link --qr",
                "create a ticket that is valid for an hour":
                    "countersign device ticket --user 'auth0|65f0' --expires 1h",
                "mail a link in French": "countersign device ticket --user 'auth0|65f0' --send-mail --language fr",
            ]
        ) { target, invocation in
            let known = try await target.user(try invocation[user])["user_id"]?.stringValue ?? ""
            var request: JSONObject = ["user_id": .string(known), "allow_multiple_enrollments": true]
            request["ttl_sec"] = try invocation[expires].map { .number(JSONNumber(Int($0.components.seconds))) }
            let isMailed = try invocation[mail]
            if isMailed { request["send_mail"] = true }
            request["email"] = try invocation[email].map { .string(try EmailAddress($0, of: "--email").description) }
            request["email_locale"] = try invocation[language].map(JSONValue.string)
            guard isMailed || request["email"] == nil && request["email_locale"] == nil else {
                throw UsageError("--email and --language need --send-mail")
            }
            let made = try await ticket(request, target)
            func text(_ name: String) -> String { made[name]?.stringValue ?? "" }
            let output = invocation.output
            if try invocation[json] {
                var document: JSONObject = [
                    "uri": .string(text("enrollment_uri")), "ticket": .string(text("ticket_id")),
                    "page": .string(text("ticket_url")), "link": .string(text("approver_url")),
                    "user_id": .string(known), "tenant": .string(text("tenant")),
                    "expires_at": .string(text("expires_at")),
                ]
                document["mailed_to"] = made["mailed_to"]
                output.json(.object(document))
            } else {
                let isPage = try isMailed || invocation[page]
                let shown = try text(isPage ? "ticket_url" : invocation[link] ? "approver_url" : "enrollment_uri")
                if try invocation[qr] { output.qrCode(try QRCode(shown)) }
                output.raw(shown)
            }
        }
    }

    private static func ticket(_ request: JSONObject, _ target: ManagedTenant) async throws -> JSONObject {
        do {
            return try await target.send(.post, "/guardian/enrollments/ticket", request)
        } catch AdministrationFailure.unknown {
            // The user was removed meanwhile.
            throw target.lacks(request["user_id"]?.stringValue ?? "")
        } catch AdministrationFailure.invalid(let problems) where problems.contains(where: { $0.path == "email" }) {
            throw CommandFailure(
                "--email \(problems.map(\.message).joined(separator: ", "))",
                hint: "name the address with --email, or pass on the link that --page prints")
        }
    }

    private static var deviceList: Command {
        onTenant(
            "list", "Show a user's enrolled devices.", options: [user, json],
            examples: ["list a user's phones": "countersign device list --user 'auth0|65f0'"]
        ) { target, invocation in
            let known = try await target.user(try invocation[user])
            let phones = try await target.phones(of: known["user_id"]?.stringValue ?? "")
            try invocation.show(.array(phones.map(\.json)), .of(phones), asJSON: json)
        }
    }

    private static let id = Option<String>.argument("DEVICE", .string, "Id of the device, as in the list.")

    private static var deviceShow: Command {
        oneDevice(
            "show", "Show one device.", [json],
            examples: ["show one phone": "countersign device show dev_D4YdLqbfYlp4Ttx7"]
        ) { phone, _, invocation in
            try invocation.show(phone.json, .of([phone]), asJSON: json)
        }
    }

    private static var deviceUpdate: Command {
        let name = Option<String>.required("name", .string.placeholder("TEXT"), "New name of the device.")
        return oneDevice(
            "update", "Rename a device.", [name, json],
            examples: ["rename a phone": "countersign device update dev_D4YdLqbfYlp4Ttx7 --name 'Hanna at work'"]
        ) { phone, target, invocation in
            try await target.send(
                .patch, "/users/{id}/authentication-methods/{method_id}",
                [phone.document["user_id"]?.stringValue ?? "", "push|\(phone.id)"],
                ["name": .string(try invocation[name])])
            let phone = Phone(document: try await target.get("/guardian/enrollments/{id}", phone.id))
            try invocation.show(phone.json, .of([phone]), asJSON: json)
        }
    }

    private static var deviceRemove: Command {
        oneDevice(
            "remove", "Remove a device. It gets no more requests, and its key is no longer accepted.", [],
            examples: ["remove a lost phone": "countersign device remove dev_D4YdLqbfYlp4Ttx7"]
        ) { phone, target, invocation in
            try await target.send(.delete, "/guardian/enrollments/{id}", [phone.id])
            invocation.output.line("Removed \(phone.id)")
        }
    }

    private static var deviceReset: Command {
        onTenant(
            "reset",
            "Remove all phones, passkeys, authenticator apps and recovery codes of a user who lost them.",
            options: [user],
            examples: ["let a user begin anew": "countersign device reset --user 'auth0|65f0'"]
        ) { target, invocation in
            let known = try await target.user(try invocation[user])["user_id"]?.stringValue ?? ""
            try await target.send(.delete, "/users/{id}/authentication-methods", [known])
            invocation.output.line("Removed all second factors of \(known)")
        }
    }
}

extension Table {
    fileprivate static func of(_ phones: [Phone]) -> Table {
        Table(
            ["DEVICE", "NAME", "PUSH", "ENROLLED", "STATE"],
            rows: phones.map { phone in
                [
                    Text(phone.id), Text(phone.name), Text(phone.service), Text(phone.enrolledAt),
                    Text(phone.state, phone.isCutOff ? .yellow : nil),
                ]
            })
    }
}
