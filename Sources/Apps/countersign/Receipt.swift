import ApprovalWire
import AuthorizationCore
import CountersignClient
import CountersignServer
import Flows
import HTTPModel
import JOSE
import Localization
import PlatformFoundation
import Primitives
import Terminal

extension Command {
    static var receipt: Command {
        Command(
            "receipt", "Show and verify receipts: proofs of what a person allowed or rejected.",
            examples: showReceipt.examples + verifyReceipt.examples.prefix(1),
            subcommands: [showReceipt, verifyReceipt])
    }

    private static var showReceipt: Command {
        let request = Option<String>.argument("REQUEST", .string, "Id of the request: cns_…")
        return onDataFolder(
            "show", "Print the receipt of a decision that is still kept.",
            discussion: "Standard output contains only the receipt, which countersign receipt verify explains.",
            options: [request, jsonObject, Installation.tenantOption],
            examples: ["keep a receipt": "countersign receipt show cns_AZp… >receipt.jwt"]
        ) { installation, invocation in
            let tenant = try await installation.tenant(invocation)
            let id = try invocation[request]
            let receipt: String
            do {
                receipt = try await installation.receipt(of: ConsentID(id), in: tenant.id)
            } catch let failure as IssueReceipt.Failure {
                switch failure {
                case .notFound:
                    throw CommandFailure(
                        "the tenant \(tenant.id) keeps no decision of \(id)",
                        hint: "countersign log list --type gd_auth_succeed shows requests that were allowed")
                case .changed:
                    throw CommandFailure(
                        "the stored decision of \(id) was changed, so it proves nothing any more",
                        hint: "countersign log verify tells if the audit log was changed, too")
                }
            }
            if try invocation[jsonObject] {
                invocation.output.json(["receipt": .string(receipt)])
            } else {
                invocation.output.raw(receipt)
            }
            return 0
        }
    }

    private static var verifyReceipt: Command {
        let options = VerifyReceiptOptions()
        return Command(
            "verify", "Verify a receipt, and show the request, the decision, and the facts that it proves.",
            discussion: """
                The keys are the root of all trust in a receipt: get them from the issuer, and keep them beside \
                receipts that have to convince somebody after the keys were rotated. docs/receipts.md describes the \
                format and every rule.

                The exit status is 0 only if the receipt is valid.
                """,
            options: [options.group],
            examples: [
                "verify a receipt": "countersign receipt verify receipt.jwt --jwks jwks.json",
                "for a program, from standard input":
                    "countersign receipt verify - --jwks jwks.json --issuer https://id.shop.example/ --json "
                    + "<receipt.jwt",
            ]
        ) { invocation in
            let output = invocation.output
            let text = try options.text(invocation)
            let environment = try options.environment(invocation)
            let verifier = ReceiptVerifier(
                keys: try await options.keySet(invocation, environment), issuer: try invocation[options.issuer],
                verifier: environment.verifier, hashing: environment.hashing)
            let asJSON = try invocation[jsonObject]
            do throws(ReceiptFailure) {
                let receipt = try verifier.verify(text)
                if asJSON { output.json(receipt.json) } else { receipt.show(on: output) }
                return 0
            } catch {
                if asJSON { output.json(error.json) }
                output.error("the receipt is not valid: \(error.description)", hint: error.hint)
                return 1
            }
        }
    }
}

private struct VerifyReceiptOptions: Sendable {
    let file = Option<String>.argument("RECEIPT", .path, "File with the receipt. - reads standard input.")
    let keys = Option<String>.required(
        "jwks", .path.placeholder("FILE|URL"),
        "The issuer's keys: a JWK set in a file, or the URL of one, such as ISSUER/.well-known/jwks.json.")
    let issuer = Option<String?>.optional(
        "issuer", .string.placeholder("URL"), defaultText: "any with these keys",
        "Issuer that must have made the receipt, exactly as the receipt spells it.")
    let authority = Option<String?>.optional(
        "ca", .path, environment: "COUNTERSIGN_CA", defaultText: "the system's",
        "PEM certificates of the authorities to trust for the URL of the keys.")

    var group: OptionGroup {
        OptionGroup("Options", [file, keys, issuer, authority, jsonObject])
    }

    func environment(_ invocation: Invocation) throws -> CountersignClient.Environment {
        let trust: CountersignClient.Environment.Trust =
            if let path = try invocation[authority] { .certificates(pem: Data(try readFile(path))) } else { .system }
        do throws(CountersignError) {
            return try .system(trust: trust, trustAdvice: "Name the CA that signed it with --ca FILE.")
        } catch {
            throw CommandFailure(error.failureReason ?? "the certificates cannot be read")
        }
    }

    /// The file's text without the line break that editors and shells add.
    func text(_ invocation: Invocation) throws -> String {
        let path = try invocation[file]
        guard try path != "-" || invocation[keys] != "-" else {
            throw UsageError("standard input can be the receipt or the keys, not both")
        }
        var bytes = try readFile(path)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    func keySet(_ invocation: Invocation, _ environment: CountersignClient.Environment) async throws -> JWKSet {
        let place = try invocation[keys]
        let isURL = place.hasPrefix("https://") || place.hasPrefix("http://")
        let bytes = isURL ? try await fetch(place, environment.transport) : try readFile(place)
        let value: JSONValue
        do { value = try JSONReader.parse(bytes) } catch { throw CommandFailure("\(place) \(error.text)") }
        do { return try JWKSet(value) } catch {
            throw CommandFailure("\(place) is no JWK set: it has no member keys", hint: "see RFC 7517 clause 5")
        }
    }

    private func fetch(_ address: String, _ transport: any HTTPClient) async throws -> [UInt8] {
        let url = URL(string: address)
        guard let host = url?.host(), !host.isEmpty, url?.scheme == "https" || isLoopbackHost(host) else {
            throw UsageError(
                "--jwks must be an https URL", hint: "http is allowed only for localhost, 127.0.0.1 and ::1")
        }
        do throws(HTTPClientError) {
            let answer = try await transport.send(
                ClientRequest(method: .get, url: address, fields: ["Accept": "application/json"]))
            guard answer.status == 200 else { throw .other("the server answered with status \(answer.status)") }
            return answer.body
        } catch {
            throw CommandFailure("the keys at \(address) cannot be fetched: \(error.text)")
        }
    }
}

extension ReceiptFailure {
    fileprivate var hint: String? {
        switch rule {
        case .key: "get the keys of the issuer that the receipt names; old keys leave its JWK set"
        case .issuer: "--issuer must be spelt as in the receipt, with its slash at the end"
        default: nil
        }
    }

    fileprivate var json: JSONValue {
        ["valid": false, "rule": .string(rule.rawValue), "description": .string(description)]
    }
}

extension VerifiedReceipt {
    fileprivate func show(on output: Output) {
        output.card(card)
        output.line()
        output.fields(decision)
        for (heading, sentences) in [("Proven", proven), ("Not proven", notProven)] {
            output.line()
            output.line(Text("\(heading):", .bold))
            for sentence in sentences { output.line("- \(sentence)") }
        }
    }

    /// The request as the phone shows it.
    private var card: Card {
        let record = claims.evidence.record
        let texts = Language.english.texts.phone
        var rows: [(name: String, value: Text)] = [
            (texts.client, "\(record.client.name) (\(record.client.id))"), ("user", Text(record.user)),
            (texts.audience, "\(record.audience.name) (\(record.audience.id))"),
        ]
        for (index, scope) in record.scope.enumerated() {
            let text: Text = scope.description.map { "\(scope.value): \($0)" } ?? Text(scope.value)
            rows.append((index == 0 ? texts.scopes : "", text))
        }
        rows += [
            (texts.server, Text(record.issuer)), (texts.request, Text(record.id)),
            ("asked", Text(record.createdAt.iso8601)), ("expires", Text(record.expiresAt.iso8601)),
        ]
        let presentation = record.presentation(in: "en")
        var parts = Card.Part.start(
            presentation, message: record.bindingMessage, of: record.client.name, in: .english)
        parts.append(.fields(Fields(rows)))
        for detail in presentation.details { parts += Card.Part.parts(of: detail, in: .english) }
        return Card(Text(texts.title(record.client.name)), parts)
    }

    private var decision: [(name: String, value: Text)] {
        let evidence = claims.evidence
        var rows: [(name: String, value: Text)] = [
            ("Decision", Text(evidence.decision.rawValue, evidence.decision == .allowed ? .green : .red))
        ]
        if let reason = evidence.reason { rows.append(("Reason", Text(reason))) }
        rows += [("Decided", Text(evidence.decidedAt.iso8601)), ("Evidence", Text(evidence.level.rawValue))]
        if let device = evidence.answer?.device {
            rows += [
                ("Device", "\(device.name) (\(device.id))"), ("Enrolled", Text(device.enrolledAt.iso8601)),
                ("Device key", Text(JSONWriter.string(device.publicKey.json))),
            ]
        }
        if let passkey = evidence.passkey {
            rows += [
                ("Passkey host", Text(passkey.relyingParty)),
                ("Passkey", Text(JSONWriter.string(passkey.publicKey.json))),
            ]
        }
        return rows + [
            ("Digest", Text(claims.digest.description)), ("Receipt made", Text(claims.issuedAt.iso8601)),
            ("Audit entry", Text(claims.audit.entry)), ("Audit head", Text(claims.audit.head)),
        ]
    }

    /// The receipt's claims and the request's record as they are (docs/receipts.md).
    fileprivate var json: JSONValue {
        var object: JSONObject = ["valid": true]
        object["receipt"] = try? JSONReader.parse(claims.payload)
        object["request"] = try? JSONReader.parse(claims.evidence.record.text)
        let headlines = claims.evidence.record.presentation(in: "en").headlines
        if !headlines.isEmpty { object["headline"] = JSONValue(headlines.map { $0.text(in: .english) }) }
        object["proven"] = JSONValue(proven)
        object["not_proven"] = JSONValue(notProven)
        return .object(object)
    }
}
