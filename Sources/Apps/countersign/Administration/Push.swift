import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import Flows
import HTTPModel
import Primitives
import Terminal
import X509

/// Commands for a tenant's credentials at push services.
extension Command {
    static var push: Command {
        Command(
            "push", "Set and check a tenant's credentials for notifications to phones' own apps.",
            discussion: """
                Without credentials, phones are reached while their app is open, and web apps by Web Push. Secrets \
                are read from files or standard input, sealed, and never shown again.
                """,
            examples: [setAPNs, setFCM, checkPush].flatMap { $0.examples.prefix(1) },
            subcommands: [listPush, setPush, selectPush, removePush, checkPush]
        ).hints([
            "show": "countersign push list shows the settings", "create": "countersign push set sets the credentials",
            "delete": "countersign push remove removes credentials",
            "test": "countersign push check tries the credentials",
        ])
    }

    // MARK: list

    private static var listPush: Command {
        ObjectCommands.work(
            "list", "Show the settings without secrets.", [],
            examples: [
                "the only tenant's": "countersign push list",
                "a tenant's, for a program": "countersign push list --tenant shop --json",
            ]
        ) { target, invocation in try await printPush(target, invocation) }
    }

    private static let path = "/guardian/factors/push-notification"

    private static func printPush(_ target: ManagedTenant, _ invocation: Invocation) async throws {
        let selection = try await target.get("\(path)/selected-provider")["provider"] ?? ""
        var rows: [[Text]] = []
        var providers = JSONObject()
        for provider in PushProvider.allCases {
            var document = JSONObject()
            for (name, value) in try await target.get("\(path)/providers/\(provider.rawValue)") where !value.isNull {
                document[name] = value
            }
            let hasSecrets = document["enabled"] == true
            document["enabled"] = nil
            guard hasSecrets || !document.isEmpty else { continue }
            var shown = document
            shown["enabled"] = .bool(hasSecrets && provider != .fcm)
            providers[provider.rawValue] = .object(shown)
            let state = !hasSecrets ? "no secret" : provider == .fcm ? "not used: Google ended it; set fcm FILE" : "set"
            let settings = document.members.map { "\($0.name)=\($0.value.stringValue ?? JSONWriter.string($0.value))" }
            rows.append([Text(provider.rawValue), Text(state), Text(settings.joined(separator: " "))])
        }
        if try invocation[ObjectCommands.json] {
            invocation.output.json(["selected": selection, "providers": .object(providers)])
        } else {
            invocation.output.line("selected: \(selection.stringValue ?? "")")
            if !rows.isEmpty {
                invocation.output.table(
                    Table(["PROVIDER", "STATE", "SETTINGS"], rows: rows))
            }
        }
    }

    // MARK: set

    private static var setPush: Command {
        Command(
            "set", "Set the credentials at one service. Earlier ones are replaced.",
            examples: [setAPNs, setFCM, setSNS].flatMap { $0.examples.prefix(1) },
            subcommands: [setAPNs, setFCM, setSNS])
    }

    private static func set(
        _ provider: PushProvider, _ document: JSONObject, _ target: ManagedTenant, _ invocation: Invocation
    ) async throws {
        try await target.send(.put, "\(path)/providers/\(provider.rawValue)", document)
        try await printPush(target, invocation)
    }

    private static func text(_ path: String) throws -> String {
        guard let text = String(validating: try readFile(path), as: UTF8.self) else {
            throw CommandFailure("\(path) is not a text")
        }
        return text
    }

    private static var setAPNs: Command {
        let bundleID = Option<String>.required(
            "bundle-id", .string.placeholder("ID"), "The app's bundle id, as com.example.app.")
        let key = Option<String?>.optional(
            "key", .path, "Key file from Apple's developer site, AuthKey_KEYID.p8. - is standard input.")
        let keyID = Option<String?>.optional("key-id", .string.placeholder("ID"), "The key's id, with --key.")
        let teamID = Option<String?>.optional(
            "team-id", .string.placeholder("ID"), "The developer team's id, with --key.")
        let certificate = Option<String?>.optional(
            "certificate", .path, "Instead of a key: certificate with its key, a PKCS #12 file without a password.")
        let sandbox = Option<Bool>.flag("sandbox", "For an app that was built for development.")
        return ObjectCommands.work(
            "apns", "Set the credentials at Apple's push service.",
            [bundleID, key, keyID, teamID, certificate, sandbox],
            examples: [
                "a key, which does not expire":
                    "countersign push set apns --bundle-id com.example.app --key AuthKey_ABC123DEFG.p8 "
                    + "--key-id ABC123DEFG --team-id DEF123GHIJ",
                "a certificate":
                    "countersign push set apns --bundle-id com.example.app --certificate push.p12 --sandbox",
            ]
        ) { target, invocation in
            var document: JSONObject = [
                "bundle_id": .string(try invocation[bundleID]), "sandbox": .bool(try invocation[sandbox]),
            ]
            switch (try invocation[key], try invocation[certificate]) {
            case (let path?, nil):
                document["p8"] = .string(try text(path))
                document["key_id"] = try invocation[keyID].map(JSONValue.string)
                document["team_id"] = try invocation[teamID].map(JSONValue.string)
            case (nil, let path?): document["p12"] = .string(PKCS12File.text(try readFile(path)))
            default:
                throw UsageError("give either --key or --certificate", hint: "a key is best: it does not expire")
            }
            try await set(.apns, document, target, invocation)
        }
    }

    private static var setFCM: Command {
        let file = Option<String>.argument(
            "FILE", .path, "Key of a service account, as the Firebase console saves it. - is standard input.")
        return ObjectCommands.work(
            "fcm", "Set the credentials for Firebase Cloud Messaging.", [file],
            examples: [
                "a service account's key": "countersign push set fcm service-account.json",
                "from standard input": "countersign push set fcm - < service-account.json",
            ]
        ) { target, invocation in
            let document: JSONObject = ["server_credentials": .string(try text(try invocation[file]))]
            try await set(.fcmv1, document, target, invocation)
        }
    }

    private static var setSNS: Command {
        let accessKey = Option<String>.required("access-key", .string.placeholder("ID"), "Id of the access key.")
        let secret = Option<String>.required(
            "secret-file", .path, "File with the secret access key. - is standard input.")
        let region = Option<String>.required("region", .string.placeholder("REGION"), "Region, as eu-central-1.")
        let apns = Option<String?>.optional(
            "apns-application", .string.placeholder("ARN"), "Platform application for Apple's devices.")
        let fcm = Option<String?>.optional(
            "fcm-application", .string.placeholder("ARN"), "Platform application for Android devices.")
        return ObjectCommands.work(
            "sns", "Set the credentials at Amazon's notification service. Also select it: countersign push select sns.",
            [accessKey, secret, region, apns, fcm],
            examples: [
                "for Apple's devices":
                    "countersign push set sns --access-key AKIDEXAMPLE --secret-file secret.txt --region eu-central-1 "
                    + "--apns-application arn:aws:sns:eu-central-1:123456789012:app/APNS/phones"
            ]
        ) { target, invocation in
            var document: JSONObject = [
                "aws_access_key_id": .string(try invocation[accessKey]),
                "aws_secret_access_key": .string(try text(try invocation[secret]).filter { !$0.isNewline }),
                "aws_region": .string(try invocation[region]),
            ]
            document["sns_apns_platform_application_arn"] = try invocation[apns].map(JSONValue.string)
            document["sns_gcm_platform_application_arn"] = try invocation[fcm].map(JSONValue.string)
            guard document.count > 3 else { throw UsageError("give --apns-application, --fcm-application, or both") }
            try await set(.sns, document, target, invocation)
        }
    }

    // MARK: select, remove and check

    private static var selectPush: Command {
        let provider = Option<PushServices.Selection>.argument(
            "PROVIDER", .choice(),
            "direct sends to Apple and Google, sns by Amazon's notification service. guardian, Auth0's own app, is the "
                + "same as direct.")
        return ObjectCommands.work(
            "select", "Choose the service that takes notifications to phones.", [provider],
            examples: [
                "send to Apple and Google": "countersign push select direct",
                "send by Amazon's notification service": "countersign push select sns",
            ]
        ) { target, invocation in
            try await target.send(
                .put, "\(path)/selected-provider", ["provider": .string(try invocation[provider].rawValue)])
            try await printPush(target, invocation)
        }
    }

    private static var removePush: Command {
        let names = ["apns", "fcm", "sns"]
        let provider = Option<String>.argument("PROVIDER", .choice(names), "Service whose credentials to remove.")
        return ObjectCommands.work(
            "remove", "Remove the credentials at one service. Phones keep their tokens.", [provider],
            examples: ["Firebase's": "countersign push remove fcm"]
        ) { target, invocation in
            let kinds: [PushProvider] =
                switch try invocation[provider] {
                case "apns": [.apns]
                case "sns": [.sns]
                default: [.fcm, .fcmv1]
                }
            var isThere = false
            for kind in kinds {
                let settings = try await target.get("\(path)/providers/\(kind.rawValue)")
                if settings.contains(where: { !$0.value.isNull && $0.value != false }) { isThere = true }
                try await target.send(.delete, "\(path)/providers/\(kind.rawValue)")
            }
            guard isThere else {
                throw CommandFailure("there are no such credentials", hint: "countersign push list shows them")
            }
            try await printPush(target, invocation)
        }
    }

    private static var checkPush: Command {
        let device = Option<String?>.optional(
            "device", .string.placeholder("DEVICE"),
            "Phone to which a message that shows nothing is sent, which proves its token and the app too.")
        return .credentialCheck(
            "check", "Try the credentials without a message that a person sees.",
            discussion: """
                Apple's service is asked to send to a token that no device has, Google's to validate a message, and \
                Amazon's for its applications. With --device, the selected service sends to that phone instead.
                """,
            options: [device],
            examples: [
                "the only tenant's": "countersign push check",
                "a tenant's, for a program": "countersign push check --tenant shop --json",
                "as far as one phone": "countersign push check --device dev_D4YdLqbfYlp4Ttx7",
            ]
        ) { checked in
            if let id = try checked.invocation[device] { return [try await tryDevice(DeviceID(id), checked)] }
            let findings = try await checked.installation.checkPushServices(of: checked.tenant.id, checked.settings)
            guard !findings.isEmpty else {
                throw CommandFailure(
                    "the tenant \(checked.tenant.id) has no credentials for a push service",
                    hint: "set some: countersign push set --help")
            }
            return findings
        }
    }

    private static func tryDevice(_ id: DeviceID, _ checked: CheckedTenant) async throws -> CredentialFinding {
        let found: Device
        do {
            found = try await checked.installation.devices.device(id, in: checked.tenant.id).device
        } catch AdministrationFailure.unknown {
            throw CommandFailure(
                "the tenant \(checked.tenant.id) has no device \(id)",
                hint: "countersign device list --user USER shows the devices")
        }
        guard let finding = try await checked.installation.tryPush(to: found, checked.settings) else {
            throw CommandFailure(
                "the device \(id) has no token of a push service for apps",
                hint: "its app registers one when it is opened; countersign device show \(id) shows its service")
        }
        return finding
    }
}
