import APIDescription
import ApprovalWire
import GuardianWire
import JSONSchema
import Primitives
import Routing

/// Operations of phones (Guardian's appliance protocol).
extension Operation {
    private static func device(
        _ id: String, _ summary: String, details: String, security: String, parameters: [Parameter] = [],
        body: Body? = nil, answer: Answer, statuses: [Int] = []
    ) -> Operation {
        Operation(
            id, summary, tag: "Devices", details: details, security: .token(security), parameters: parameters,
            body: body,
            answers: [answer]
                + refusals("DeviceError", [400, 401, 403, 404, 411, 413] + statuses + [503]))
    }

    private static let capabilities = Member(
        "capabilities", .list(.text(0...64), 0...16),
        "`signed-digest` if the phone signs the digest of the request with its answer, `number-matching` if it shows numbers "
            + "and signs the one that the person picks; others are ignored")

    static let enrollDevice = device(
        "enroll_device", "Enrol a phone", details: "Authorization: Ticket id=\"…\", with the ticket of the QR code.",
        security: "an enrolment ticket",
        body: Body(
            .object(
                [
                    .required("identifier", .text()), .required("name", .text()),
                    .required("public_key", .anyObject, "A JWK: RSA of 2048 bits or more, or P-256"),
                    Member("push_credentials", .anyObject), capabilities,
                ], isOpen: true),
            example: [
                "identifier": "6F1E…", "name": "Ann's phone",
                "public_key": ["kty": "EC", "crv": "P-256", "x": "…", "y": "…"],
            ]),
        answer: Answer(200, "The phone is enrolled", .anyObject), statuses: [409])

    static let deviceReceipt = device(
        "device_receipt", "Get the receipt of a decision",
        details: "A JWS that proves what the user allowed or rejected.",
        security: "a token that the device signed",
        parameters: [
            Parameter("id", in: .path, .text(), "The device"),
            Parameter("request", in: .path, .text(), "txlnkid of the notification"),
        ],
        answer: Answer(200, "The receipt", .text(), mediaType: ReceiptClaims.mediaType), statuses: [500])

    private static let owner = Parameter("id", in: .path, .text(), "The device")

    static let pendingRequests = device(
        "pending_requests", "List the requests that wait for an answer",
        details: "For a phone without an open channel, such as one that a push woke. At most 100, oldest first.",
        security: "a token that the device signed", parameters: [owner],
        answer: Answer(
            200, "Notifications, as the channel carries them, each with its event's id",
            .object([
                .required("requests", .list(.object([.required("sequence", .integer())], isOpen: true), 0...100))
            ])), statuses: [429])

    static let decidedRequests = device(
        "decided_requests", "List the person's decisions", details: "Newest first, as long as the tenant keeps them.",
        security: "a token that the device signed",
        parameters: [
            owner, Parameter("before", in: .query, .text(pattern: "^[0-9]{1,19}$"), "next of an earlier answer"),
            Parameter("limit", in: .query, .integer(1...50), "Decisions of the answer; 20 without it"),
        ],
        answer: Answer(
            200, "Decisions with the records that they are about",
            .object([
                .required(
                    "requests",
                    .list(
                        .object([
                            .required("id", .text(), "txlnkid of the notification; names the receipt"),
                            .required("decided_at", .date),
                            .required("decision", .choice(ApprovalEvidence.Decision.allCases.map(\.rawValue))),
                            Member("reason", .text(), "The person's reason for the rejection"),
                            .required("evidence", .choice(ApprovalEvidence.Level.allCases.map(\.rawValue))),
                            .required("record", .text(), "The record that the person was shown, as JSON text"),
                        ]), 0...50)),
                Member("next", .text(), "Value of before for older decisions; absent if there are none"),
            ])))

    static let deviceList = device(
        "device_list", "List the person's phones", details: "In the order of their enrolment.",
        security: "a token that the device signed", parameters: [owner],
        answer: Answer(
            200, "The phones",
            .object([
                .required("account", .text(), "The person's e-mail address, else username, name or id"),
                .required(
                    "devices",
                    .list(
                        .object([
                            .required("id", .text()), .required("name", .text()), .required("enrolled_at", .date),
                            .required("push", .choice(PushCredentials.Service.allCases.map(\.rawValue)).orNull),
                            .required("passkey", .boolean), .required("current", .boolean, "True for this phone"),
                        ]))),
            ])))

    private static let time = Shape.text(pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$")
    private static let preferencesShape = Shape.object(
        [
            .required(
                "quiet_hours", Shape.object([.required("from", time), .required("to", time)], isOpen: true).orNull,
                "Daily time without sound, in each phone's time zone. Urgent requests make a sound anyway.")
        ], isOpen: true)
    private static let preferencesExample: JSONValue = ["quiet_hours": ["from": "22:00", "to": "07:00"]]

    static let preferences = device(
        "phone_preferences", "Get the person's preferences", details: "They are for all phones of the person.",
        security: "a token that the device signed", parameters: [owner],
        answer: Answer(200, "The preferences", preferencesShape, example: preferencesExample))

    static let replacePreferences = device(
        "replace_phone_preferences", "Replace the person's preferences",
        details: "They are for all phones of the person.", security: "a token that the device signed",
        parameters: [owner], body: Body(preferencesShape, example: preferencesExample),
        answer: Answer(200, "The preferences", preferencesShape, example: preferencesExample), statuses: [429])

    private static func bytes(_ name: String) -> Member { .required(name, .text(), "In base64url") }

    static let passkeyOptions = device(
        "passkey_options", "Get a challenge for a passkey",
        details: "Values for navigator.credentials.create and get. The challenge is valid for five minutes.",
        security: "a token that the device signed", parameters: [owner],
        answer: Answer(
            200, "The values",
            .object(
                [
                    bytes("challenge"), .required("rp_id", .text()), bytes("user_id"), .required("user_name", .text()),
                    .required("is_registered", .boolean), Member("credential_id", .text(), "In base64url"),
                ], isOpen: true)))

    static let registerPasskey = device(
        "register_passkey", "Register the phone's passkey",
        details: "Only a phone without a passkey can; enrol it again to replace its passkey.",
        security: "a token that the device signed", parameters: [owner],
        body: Body(
            .object([bytes("client_data_json"), bytes("attestation_object")], isOpen: true),
            example: ["client_data_json": "eyJ0…", "attestation_object": "o2Nm…"]),
        answer: Answer(204, "The passkey is registered"), statuses: [409])

    static let resolveTransaction = device(
        "resolve_transaction", "Allow or reject",
        details: """
            The decision is a JWT that the phone's key signed, with an assertion of its passkey if one is demanded. An \
            allow of a request with `matching_choices` has the picked number as `matching_pick`: without it, a phone \
            with the capability number-matching gets 403 with `number_required` and nothing changes, and a wrong one \
            rejects the request and gets 403 with `wrong_number`. `reported` says that the person did not ask for the \
            request.
            """,
        security: "the transaction token of the notification",
        body: Body(
            .object(
                [
                    .required("challenge_response", .text()),
                    Member(
                        "passkey",
                        .object(
                            [
                                bytes("credential_id"), bytes("client_data_json"), bytes("authenticator_data"),
                                bytes("signature"),
                            ], isOpen: true), "Answer of navigator.credentials.get to the 32 bytes of request_digest"),
                ], isOpen: true), example: ["challenge_response": "eyJ…"]),
        answer: Answer(204, "The decision is final"))

    static let fetchConsent = device(
        "fetch_consent", "Show a request", details: "Authorization: MFA-DPoP, with a proof in the field MFA-DPoP.",
        security: "the transaction token of the notification",
        parameters: [Parameter("id", in: .path, .text(), "txlnkid of the notification")],
        answer: Answer(200, "Binding message, scopes and details", .reference("Consent")), statuses: [429])

    static let updateDevice = device(
        "update_device", "Change a phone's name or push token", details: "With a JWT that the phone's key signed.",
        security: "a token that the device signed", parameters: [owner],
        body: Body(.object([capabilities], isOpen: true), example: ["name": "Ann's new phone"]),
        answer: Answer(200, "The phone after the change", .anyObject), statuses: [409, 429])

    static let removeDevice = device(
        "remove_device", "Remove a phone", details: "With a JWT that the phone's key signed.",
        security: "a token that the device signed",
        parameters: [owner], answer: Answer(204, "The phone is removed"))

    static let notifications = device(
        "notifications", "Listen for requests",
        details: """
            Server-Sent Events: first the ids of all pending requests and the notifications after Last-Event-ID, then \
            new events.
            """,
        security: "a token that the device signed",
        answer: Answer(200, "Events", .text(), mediaType: "text/event-stream"), statuses: [429])
}
