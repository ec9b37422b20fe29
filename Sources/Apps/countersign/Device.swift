import Administration
import Audit
import AuthorizationCore
import Configuration
import CountersignServer
import Flows
import GuardianWire
import OAuthWire
import Primitives
import QRCodes
import Terminal

extension Command {
    static var device: Command {
        Command(
            "device", "Enrol, list and remove users' phones.",
            examples: [deviceTicket, deviceList].flatMap { $0.examples.prefix(1) },
            subcommands: [deviceList, deviceShow, deviceTicket, deviceUpdate, deviceRemove]
        ).hints([
            "create": enrollment, "add": enrollment, "enroll": enrollment,
            "delete": "countersign device remove removes a phone",
        ])
    }

    private static let enrollment = "phones enrol themselves: countersign device ticket prints an enrolment ticket"

    private static let user = Option<String>.required(
        "user", short: "u", .string.placeholder("USER"), "User, by id, verified e-mail address or phone number.")
    private static let json = Option<Bool>.flag("json", "Print JSON.")

    private static func deviceCommand(
        _ name: String, _ summary: String, _ options: [OptionDeclaration], examples: [Example],
        _ work: @escaping @Sendable (ObjectCommands.Target, Invocation) async throws -> Void
    ) -> Command {
        onDataFolder(
            name, summary, options: options + [Installation.tenantOption.declaration], examples: examples
        ) { installation, invocation in
            try await work(try await ObjectCommands.Target(installation, invocation), invocation)
            return 0
        }
    }

    /// Runs `work` with the device that the arguments name.
    private static func oneDevice(
        _ name: String, _ summary: String, _ options: [OptionDeclaration], examples: [Example],
        _ work: @escaping @Sendable (DeviceID, ObjectCommands.Target, Invocation) async throws -> Void
    ) -> Command {
        deviceCommand(name, summary, [id.declaration] + options, examples: examples) { target, invocation in
            let id = DeviceID(try invocation[id])
            do { try await work(id, target, invocation) } catch AdministrationFailure.unknown {
                throw CommandFailure(
                    "the tenant \(target.tenant.id) has no device \(id)",
                    hint: "countersign device list --user USER shows the devices")
            }
        }
    }

    private static var deviceTicket: Command {
        let range = EnrollDevice.ticketLifetimeRange
        let expires = Option<Duration>.defaulted(
            "expires", .duration(.seconds(range.lowerBound) ... .seconds(range.upperBound)),
            to: .seconds(EnrollDevice.defaultTicketLifetime), "Lifetime of the ticket, which can be used once.")
        let qr = Option<Bool>.flag("qr", "Also draw a QR code.")
        let link = Option<Bool>.flag("link", "Print a link to the web app instead, which any phone's camera can read.")
        return deviceCommand(
            "ticket", "Create an enrolment ticket: an otpauth:// URI that enrols one phone for a user.",
            [user.declaration, expires.declaration, qr.declaration, link.declaration, json.declaration],
            examples: [
                Example(
                    "print a QR code that enrols any phone's browser",
                    "countersign device ticket --user 'auth0|65f0' --link --qr"),
                Example(
                    "create a ticket that is valid for an hour",
                    "countersign device ticket --user 'auth0|65f0' --expires 1h"),
            ]
        ) { target, invocation in
            let (tenant, lifetime) = (target.tenant, try invocation[expires])
            let known = try await target.installation.user(try invocation[user], in: tenant)
            let id = known.id
            let uri = try await target.installation.enrollment.makeTicket(
                for: id, account: known.email ?? known.name ?? id.rawValue, tenant: tenant,
                lifetime: Int(lifetime.components.seconds),
                event: target.context.event(
                    .enrollmentTicketCreated, of: AuditEvent.Object("ticket", "enrollment"), user: id, details: [:]))
            // The user may have been removed meanwhile.
            guard let uri else { throw tenant.lacks(id.rawValue) }
            let output = invocation.output
            if try invocation[json] {
                output.json([
                    "uri": .string(uri.text), "ticket": .string(uri.transactionID), "user_id": .string(id.rawValue),
                    "tenant": .string(tenant.id.rawValue),
                    "expires_at": .string((target.context.now + lifetime).iso8601),
                ])
            } else {
                let text =
                    try invocation[link]
                    ? uri.link(toApprover: EndpointPath.approver.url(below: tenant.issuer)) : uri.text
                if try invocation[qr] { output.qrCode(try QRCode(text)) }
                output.raw(text)
            }
        }
    }

    private static var deviceList: Command {
        deviceCommand(
            "list", "Show a user's enrolled devices.", [user.declaration, json.declaration],
            examples: [Example("list a user's phones", "countersign device list --user 'auth0|65f0'")]
        ) { target, invocation in
            let known = try await target.installation.user(try invocation[user], in: target.tenant)
            let devices = try await target.installation.devices.devices(of: known.id, in: target.tenant.id)
                .map(\.device)
            try invocation.show(.array(devices.map(\.json)), .of(devices), asJSON: json)
        }
    }

    private static let id = Option<String>.argument("DEVICE", .string, "Id of the device, as in the list.")

    private static var deviceShow: Command {
        oneDevice(
            "show", "Show one device.", [json.declaration],
            examples: [Example("show one phone", "countersign device show dev_D4YdLqbfYlp4Ttx7")]
        ) { id, target, invocation in
            let device = try await target.installation.devices.device(id, in: target.tenant.id).device
            try invocation.show(device.json, .of([device]), asJSON: json)
        }
    }

    private static var deviceUpdate: Command {
        let name = Option<String>.required("name", .string.placeholder("TEXT"), "New name of the device.")
        return oneDevice(
            "update", "Rename a device.", [name.declaration, json.declaration],
            examples: [
                Example("rename a phone", "countersign device update dev_D4YdLqbfYlp4Ttx7 --name 'Hanna at work'")
            ]
        ) { id, target, invocation in
            let device = try await target.installation.devices.rename(
                id, to: try invocation[name], for: target.context
            ).device
            try invocation.show(device.json, .of([device]), asJSON: json)
        }
    }

    private static var deviceRemove: Command {
        oneDevice(
            "remove", "Remove a device. It gets no more requests, and its key is no longer accepted.", [],
            examples: [Example("remove a lost phone", "countersign device remove dev_D4YdLqbfYlp4Ttx7")]
        ) { id, target, invocation in
            guard try await target.installation.devices.remove(id, for: target.context) else {
                throw AdministrationFailure.unknown(.device)
            }
            invocation.output.line("Removed \(id)")
        }
    }
}

extension Device {
    fileprivate var json: JSONValue {
        [
            "id": .string(id.rawValue), "name": .string(name), "identifier": .string(identifier),
            "push_service": push.map { .string($0.service.rawValue) } ?? .null,
            "enrolled_at": .string(enrolledAt.iso8601),
        ]
    }
}

extension Table {
    fileprivate static func of(_ devices: [Device]) -> Table {
        Table(
            [Column("DEVICE"), Column("NAME"), Column("PUSH"), Column("ENROLLED")],
            rows: devices.map { device in
                [
                    Text(device.id.rawValue), Text(device.name),
                    Text(device.push?.service.rawValue ?? "device channel"), Text(device.enrolledAt.iso8601),
                ]
            })
    }
}
