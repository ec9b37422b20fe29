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
            + "and signs the one that the person picks, `number-typing` if it has a field for a number and signs it, "
            + "`passkeys` if it makes and uses passkeys, `one-time-code` if it shows one-time passwords; "
            + "others are ignored")

    static let enrollDevice = device(
        "enroll_device", "Enrol a phone",
        details: "Authorization: Ticket id=\"…\", with the ticket of the QR code; or Code id=\"…\", with the code that "
            + "stands for it.",
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
        answer: Answer(200, "The phone is enrolled", .anyObject), statuses: [409, 429])

    private static let codeMembers: [Member] = [
        .required("code", .text(), "Eight characters in two groups, to type on the phone"),
        .required("expires_at", .date),
    ]

    static let enrollmentCode = device(
        "enrollment_code", "Get a code that stands for a ticket",
        details: """
            Authorization: Ticket id="…". The code is valid for 15 minutes, at most as long as the ticket, and for five \
            tries. It replaces an earlier one. The ticket stays valid.
            """,
        security: "an enrolment ticket",
        answer: Answer(200, "The code", .object(codeMembers)), statuses: [429])

    static let newPhoneTicket = device(
        "new_phone_ticket", "Get a ticket for another phone of the person",
        details: """
            Valid for ten minutes, once, while this phone is enrolled. The tenant's `phones_add_phones` says if an \
            assertion of the phone's passkey is required, to the challenge of `GET …/passkey`. The person gets a mail when \
            the phone is added.
            """,
        security: "a token that the device signed", parameters: [owner],
        body: Body(.object([Member("passkey", .object([], isOpen: true))], isOpen: true), example: [:]),
        answer: Answer(
            200, "The ticket",
            .object(
                [
                    .required("ticket", .text()), .required("link", .text(), "Address that enrols the browser"),
                    .required("modules", .list(.text()), "Rows of the link's QR code, 1 for a dark module"),
                ] + codeMembers)), statuses: [429])

    static let farewell = device(
        "farewell", "Say that this phone's key is gone",
        details: "Authorization: Farewell id=\"…\", with `farewell` of the enrolment's answer, which works once. The "
            + "server sends nothing to the phone until it signs with its key again.",
        security: "the enrolment's farewell", parameters: [owner],
        answer: Answer(204, "The server stopped sending"))

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

    private static let records = Parameter(
        "records", in: .query, .choice(["true"]),
        "Adds to each notification its request's record, up to 65,536 bytes of records in all")

    static let pendingRequests = device(
        "pending_requests", "List the requests that wait for an answer",
        details: "For a phone without an open channel, such as one that a push woke. At most 100, oldest first.",
        security: "a token that the device signed", parameters: [owner, records],
        answer: Answer(
            200, "Notifications, as the channel carries them, each with its event's id",
            .object([
                .required(
                    "requests",
                    .list(
                        .object(
                            [
                                .required("sequence", .integer()),
                                Member("record", .text(), "The record as JSON text, if it was asked for and is short"),
                            ], isOpen: true), 0...100))
            ])), statuses: [429])

    static let decidedRequests = device(
        "decided_requests", "List the person's decisions",
        details:
            "Newest first, as long as the tenant keeps them. With unanswered=true also clients' requests that ended without an answer within 30 days.",
        security: "a token that the device signed",
        parameters: [
            owner, Parameter("before", in: .query, .text(pattern: "^[0-9]{1,19}$"), "next of an earlier answer"),
            Parameter("limit", in: .query, .integer(1...50), "Requests of the answer; 20 without it"),
            Parameter("unanswered", in: .query, .boolean, "True for requests without an answer, too"),
        ],
        answer: Answer(
            200, "Ended requests with their records",
            .object([
                .required(
                    "requests",
                    .list(
                        .object([
                            .required("id", .text(), "txlnkid of the notification; names the receipt"),
                            .required("outcome", .choice(DecidedRequests.Outcome.allCases.map(\.rawValue))),
                            Member("decided_at", .date, "Absent for a request without an answer"),
                            Member(
                                "decision", .choice(ApprovalEvidence.Decision.allCases.map(\.rawValue)),
                                "Absent for a request without an answer"),
                            Member("reason", .text(), "The person's reason for the rejection"),
                            Member(
                                "evidence", .choice(ApprovalEvidence.Level.allCases.map(\.rawValue)),
                                "Absent for a request without an answer"),
                            Member(
                                "device", .object([.required("id", .text()), .required("name", .text())]),
                                "The phone that answered; absent for an answer in a browser, and without one"),
                            Member("ended_at", .date, "End of a request without an answer"),
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
                            .required("passkey", .boolean),
                            .required("key_lost", .boolean, "True if the phone said that its key is gone"),
                            .required("current", .boolean, "True for this phone"),
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
        details: """
            Values for navigator.credentials.create and get. The challenge is valid for five minutes. `credential_ids` are \
            the person's passkeys for `rp_id`, each of which confirms requests. `may_register` says that this phone may \
            register the person's first one.
            """,
        security: "a token that the device signed", parameters: [owner],
        answer: Answer(
            200, "The values",
            .object(
                [
                    bytes("challenge"), .required("rp_id", .text()), bytes("user_id"), .required("user_name", .text()),
                    .required("credential_ids", .list(.text()), "In base64url"), .required("may_register", .boolean),
                ], isOpen: true)))

    static let registerPasskey = device(
        "register_passkey", "Register a first passkey",
        details:
            "For a person without a passkey, if the tenant lets phones do so. Further ones are made on the account page.",
        security: "a token that the device signed", parameters: [owner],
        body: Body(
            .object([bytes("client_data_json"), bytes("attestation_object")], isOpen: true),
            example: ["client_data_json": "eyJ0…", "attestation_object": "o2Nm…"]),
        answer: Answer(204, "The passkey is registered"), statuses: [409])

    static let resolveTransaction = device(
        "resolve_transaction", "Allow or reject",
        details: """
            The decision is a JWT that the phone's key signed, with an assertion of a passkey of the person if one is demanded. An \
            allow of a request with `matching_choices` or `matching` has the picked or typed number as `matching_pick`: \
            without it, a phone with the capability number-matching or number-typing gets 403 with `number_required` and \
            nothing changes, and a wrong one rejects the request and gets 403 with `wrong_number`. `reported` says that the person did not ask for the \
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
        security: "a token that the device signed", parameters: [records],
        answer: Answer(200, "Events", .text(), mediaType: "text/event-stream"), statuses: [429])
}
