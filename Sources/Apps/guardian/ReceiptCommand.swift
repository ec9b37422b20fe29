import Guardian
import Primitives
import Terminal

/// Prints the proof of a decision that the user took on any of their devices.
func receiptCommand(_ connect: @escaping Connect) -> Command {
    let request = Option<String>.argument("REQUEST", .string, "Id of the request, as in watch.")
    return Command(
        "receipt", "Print the receipt of a request that you allowed or rejected.",
        discussion: """
            A receipt is a signed text that proves your decision: what you were shown, what you answered, and when. \
            Standard output contains only the receipt, which countersign receipt verify explains.
            """,
        options: [OptionGroup("Request", [request]), Options.common],
        examples: ["keep a receipt": "guardian receipt cns_AZp… >receipt.jwt"]
    ) { invocation in
        let phone = try await invocation.phone(connect)
        let device = phone.device
        let receipt = try await explaining {
            try await Guardian.api(forDomain: phone.domain, configuration: phone.configuration)
                .device(forEnrollmentId: device.id, userId: device.userId, signingKey: device.signingKey)
                .receipt(ofRequest: try invocation[request]).start()
        }
        if phone.json { phone.output.json(["receipt": .string(receipt)]) } else { phone.output.raw(receipt) }
        return 0
    }
}
