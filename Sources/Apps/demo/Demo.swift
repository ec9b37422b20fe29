import CountersignClient
import Foundation
import Guardian
import HTTPModel
import JOSE
import PhoneScreen
import Primitives
import Terminal

/// Plays a payment with Rich Authorization Requests: an agent asks, a phone shows and signs, the agent gets tokens.
struct Demo {
    let output: Output
    let installation: DevelopmentInstallation
    let transport: TracedTransport
    /// True if a person answers at the terminal.
    let asksPerson: Bool

    private static let audience = "https://api.example.com"

    /// The authorization details that the agent asks for.
    static let payment: JSONValue = [
        "type": "money_transfer",
        "instructedAmount": ["amount": 2500, "currency": "USD"],
        "sourceAccount": "xxxxxxxxxxx1234",
        "destinationAccount": "xxxxxxxxxxx9876",
        "beneficiary": "Hanna Herwitz",
        "subject": "A Lannister Always Pays His Debts",
    ]

    /// Returns the proof of the payment.
    func run() async throws -> Proof {
        let agent = try CountersignClient(
            issuer: try installation.issuerURL, clientID: installation.clientID,
            authentication: .secretPost(installation.clientSecret), environment: try environment(showing: true))
        let phone = try await enrolPhone()
        let proof = try await payment(agent: agent, phone: phone)
        try await rejection(agent: agent, phone: phone)
        try await expiry(agent: agent)
        return proof
    }

    private func environment(showing: Bool) throws -> CountersignClient.Environment {
        var environment = try CountersignClient.Environment.system(
            trust: .certificates(pem: Data(contentsOf: URL(fileURLWithPath: installation.authorityFile))))
        if showing { environment.transport = transport }
        return environment
    }

    private func heading(_ text: String) { Self.heading(text, output) }

    static func heading(_ text: String, _ output: Output) {
        output.line()
        output.line("\("── \(text) ", .bold)")
        output.line()
    }

    // MARK: the phone

    private func enrolPhone() async throws -> DemoPhone {
        heading("1. A phone enrols: it creates its key, which never leaves it")
        let uri = try installation.enrollmentURI()
        output.line("The operator ran `countersign device ticket`. Its QR code contains this address:")
        output.line("    \(uri)")
        output.line()
        let key = try P256PrivateKey.new()
        let configuration = GuardianConfiguration(transport: transport)
        let device = try await Guardian.enroll(
            forDomain: installation.domain, usingUri: uri, notificationToken: nil, signingKey: key,
            verificationKey: key.verificationKey(), deviceName: "Hanna's phone", configuration: configuration
        ).start()
        try DemoFailure.check("the enrolled user", device.userId, is: installation.userID)
        return DemoPhone(domain: installation.domain, device: device, configuration: configuration)
    }

    // MARK: the payment

    private func payment(agent: CountersignClient, phone: DemoPhone) async throws -> Proof {
        heading("2. The agent asks for a payment (CIBA with Rich Authorization Requests)")
        let channel = try await phone.listen()
        var request = BackchannelRequest(
            user: installation.userID, bindingMessage: "Confirm payment of 2500",
            scope: ["openid", "read:profile"], audience: Self.audience, authorizationDetails: [Self.payment])
        request.approvalReceipt = true
        let pending = try await agent.start(request)

        heading("3. The phone is notified, and fetches the request")
        let notification = try await channel.next()
        let consent = try await phone.consent(for: notification)
        output.line("The phone shows:")
        output.card(RequestCard(notification: notification, consent: consent, now: Date()).card)

        heading("4. The agent polls, but nobody has answered yet")
        guard case .pending = try await agent.redeem(pending) else {
            throw DemoFailure("the first poll should find the request pending")
        }

        heading("5. The person decides, and the phone signs the decision")
        guard try await decision() else {
            try await phone.reject(notification, reason: "declined at the terminal")
            throw DemoFailure("the payment was rejected at the terminal; run the demo again and allow it")
        }
        try await phone.allow(notification, consent)

        heading("6. The agent polls again and gets its tokens")
        guard case .approved(let tokens) = try await agent.redeem(pending) else {
            throw DemoFailure("the poll after the decision should give tokens")
        }
        try await verify(tokens)
        guard let receipt = tokens.approvalReceipt else { throw DemoFailure("the tokens came without a receipt") }
        return Proof(receipt: receipt, keys: try await transport.silently { try await keys() })
    }

    private func keys() async throws -> [UInt8] {
        let url = "\(installation.issuer).well-known/jwks.json"
        return try await transport.send(ClientRequest(method: .get, url: url)).body
    }

    private func decision() async throws -> Bool {
        guard asksPerson else {
            output.line("No terminal to ask at, so the answer is: allow.")
            return true
        }
        guard let answer = await output.confirm("Allow this payment?", default: true) else {
            throw DemoFailure("nobody answered")
        }
        return answer
    }

    private func verify(_ tokens: Tokens) async throws {
        heading("7. The tokens are verified against the published keys")
        let verifier = try AccessTokenVerifier(
            issuer: try installation.issuerURL, audience: Self.audience, dialects: [.auth0],
            environment: try environment(showing: true))
        let access = try await verifier.verify(tokens.accessToken, scopes: ["read:profile"])
        show("access token", access.claims.members)
        guard let idToken = tokens.idToken else {
            throw DemoFailure("the scope openid was requested, but there is no " + "ID token")
        }
        show("ID token", idToken.claims.members)
        try DemoFailure.check("sub of the access token", access.subject, is: installation.userID)
        try DemoFailure.check("sub of the ID token", idToken.subject, is: installation.userID)
        try DemoFailure.check(
            "authorization_details of the access token", access.authorizationDetails, is: [Self.payment])
        try DemoFailure.check(
            "authorization_details of the token response", tokens.authorizationDetails, is: [Self.payment])
        output.line("\("✓", .green) both signatures verify against \(installation.issuer).well-known/jwks.json")
        output.line("\("✓", .green) authorization_details match the request exactly")
    }

    private func show(_ title: String, _ claims: JSONObject) {
        output.line("The \(title), decoded:")
        output.lines(JSONWriter.lines(TracedTransport.shortened(.object(claims))).map { "    \($0)" })
        output.line()
    }

    // MARK: rejection and expiry

    private func rejection(agent: CountersignClient, phone: DemoPhone) async throws {
        heading("8. A request that the person rejects")
        let channel = try await transport.silently { try await phone.listen() }
        let pending = try await agent.start(
            BackchannelRequest(user: installation.userID, bindingMessage: "Not mine", audience: Self.audience))
        let notification = try await channel.next()
        try await phone.reject(notification, reason: "I did not ask for this")
        do {
            _ = try await agent.redeem(pending)
            throw DemoFailure("a rejected request gave tokens")
        } catch CountersignError.denied {
            output.line("\("✓", .green) the agent gets the error access_denied")
        }
    }

    private func expiry(agent: CountersignClient) async throws {
        heading("9. A request that nobody answers")
        let pending = try await agent.start(
            BackchannelRequest(
                user: installation.userID, bindingMessage: "Nobody is there", audience: Self.audience,
                requestedExpiry: .seconds(2)))
        output.line("Two seconds pass …")
        output.line()
        try await Task.sleep(for: .milliseconds(2100))
        do {
            _ = try await agent.redeem(pending)
            throw DemoFailure("an expired request gave tokens")
        } catch CountersignError.expired {
            output.line("\("✓", .green) the agent gets the error expired_token")
        }
    }
}
