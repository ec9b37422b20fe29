import ApprovalWire
import AuthorizationCore
@testable import Flows
import GuardianWire
import Localization
import Primitives
import TestSupport
import Testing

@Suite("Push payloads")
struct PushPayloadTests {
    @Test("No payload has what counts in a request: push services and locked screens learn neither amount nor payee")
    func headline() throws {
        let details: JSONValue = [
            [
                "type": "transfer", "instructedAmount": ["amount": "2500.00", "currency": "EUR"],
                "creditorName": "Merchant A",
            ]
        ]
        let request = Samples.request(details: details).request
        let headline = try #require(request.record.presentation(in: "en").headlines.first).text(in: .english)
        #expect(headline == "€2,500.00 to Merchant A")
        let secrets = GuardianTransactionTokens(
            key: SecretBytes([UInt8](repeating: 7, count: 32)), hashing: Samples.hashing)
        let payload = NotificationComposer(secrets: secrets).notification(
            of: request, to: try Samples.device(), configuration: try Samples.configuration())
        var text = ""
        dump(payload, to: &text)
        #expect(text.contains("TX-4711"))
        for secret in ["2500", "2,500", "EUR", "€", "Merchant", "transfer"] { #expect(!text.contains(secret)) }
    }
}
