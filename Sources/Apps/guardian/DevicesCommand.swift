import Guardian
import Localization
import Primitives
import Terminal

func devicesCommand() -> Command {
    Command(
        "devices", "List this phone's enrolments.",
        options: [OptionGroup("Enrolment", [Options.store, Options.json])]
    ) { invocation in
        let devices = try await explaining { try await invocation.store().devices() }
        if try invocation[Options.json] {
            invocation.output.json(.array(devices.map(\.summary)))
        } else if devices.isEmpty {
            invocation.output.note(Text(invocation.texts.notEnrolled))
        } else {
            let rows = devices.map {
                [$0.id, $0.name ?? "", $0.domain ?? "", $0.userId, $0.signingKey.algorithm.rawValue].map { Text($0) }
            }
            invocation.output.table(Table(["ID", "NAME", "SERVER", "USER", "KEY"], rows: rows))
        }
        return 0
    }
}

func renameCommand(_ connect: @escaping Connect) -> Command {
    let name = Option.argument("NAME", .string, "New name of this phone.")
    return Command(
        "rename", "Give this phone another name.", options: [OptionGroup("Name", [name]), Options.common]
    ) { invocation in
        let phone = try await invocation.phone(connect)
        var device = phone.device
        device.name = try invocation[name]
        try await explaining {
            _ = try await phone.account.update(name: device.name).start()
            try await invocation.store().save(device)
        }
        phone.say("renamed", phone.texts.renamed, device.id)
        return 0
    }
}

func unenrollCommand(_ connect: @escaping Connect) -> Command {
    let local = Option.flag("local", "Forget the enrolment here without telling the server.")
    return Command(
        "unenroll", "End an enrolment and delete its key.",
        options: [OptionGroup("Extent", [local]), Options.common]
    ) { invocation in
        let phone = try await invocation.phone(connect)
        let isLocal = try invocation[local]
        try await explaining {
            if !isLocal { _ = try await phone.account.delete().start() }
            try await invocation.store().remove(id: phone.device.id)
        }
        phone.say("unenrolled", phone.texts.unenrolled, phone.device.id)
        return 0
    }
}

extension Phone {
    var account: DeviceAPI {
        Guardian.api(forDomain: domain, configuration: configuration)
            .device(forEnrollmentId: device.id, userId: device.userId, signingKey: device.signingKey)
    }

    func say(_ event: String, _ text: String, _ id: String) {
        if json {
            output.json(["event": .string(event), "id": .string(id)])
        } else {
            output.line("\(text, .green) \(id)")
        }
    }
}

extension EnrolledDevice {
    /// Without key and token.
    var summary: JSONValue {
        [
            "id": .string(id), "name": .string(name ?? ""), "domain": .string(domain ?? ""), "user_id": .string(userId),
            "issuer": .string(issuer ?? ""), "algorithm": .string(signingKey.algorithm.rawValue),
        ]
    }
}
