import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import X509

/// Sends to Apple's push service over HTTP/2.
struct APNsSender: Sendable {
    private let connections: APNsConnections
    private let hashing: any Hashing
    private let addresses: PushAddresses
    private let tokens = APNsTokens()
    private let service = CredentialedService("Apple's push service", credentials: "APNs")

    init(connections: APNsConnections, hashing: any Hashing, addresses: PushAddresses) {
        self.connections = connections
        self.hashing = hashing
        self.addresses = addresses
    }

    func send(
        _ push: MobilePush, token: String, with credentials: APNsCredentials, now: Timestamp
    ) async -> DeliveryAttempt {
        guard let path = Self.path(token) else {
            return DeliveryAttempt(.refused(reason: "the device's token is not one of Apple's push service"))
        }
        guard let content = APNsContent(push) else {
            return DeliveryAttempt(.refused(reason: "the message is too long for Apple's push service"))
        }
        return await service.send(with: credentials.stamp, now: now) {
            let reply = await post(path, content, id: id(of: push), with: credentials, now: now)
            return outcome(of: reply, push.message.device, with: credentials, now: now)
        }
    }

    /// Nil unless the token is hexadecimal. Guardian's sample app sends capitals, and Apple takes either.
    static func path(_ token: String) -> String? {
        guard (32...400).contains(token.utf8.count), let bytes = Hex.decode(token) else { return nil }
        return "/3/device/\(Hex.encode(bytes))"
    }

    // MARK: one request

    private enum Reply {
        case answer(ClientResponse, providerToken: String?)
        case noAnswer(HTTPClientError)
        /// Nothing was sent.
        case unusable(reason: String, detail: String?)
    }

    private func post(
        _ path: String, _ content: APNsContent, id: String, with credentials: APNsCredentials, now: Timestamp
    ) async -> Reply {
        var fields: HTTPFields = [
            "Content-Type": "application/json", "apns-topic": credentials.bundleID, "apns-push-type": content.pushType,
            "apns-priority": String(content.priority), "apns-expiration": String(content.expiration.seconds),
            "apns-id": id,
        ]
        if let collapseID = content.collapseID { fields.append("apns-collapse-id", collapseID) }
        var providerToken: String?
        let client: any OutgoingHTTPClient
        do {
            switch credentials.proof {
            case .key(let signer, let keyID, let teamID):
                let name = APNsTokens.Name(teamID: teamID, keyID: keyID, key: signer.publicKey)
                let token = try tokens.token(name, signer, now: now)
                fields.append("Authorization", "bearer \(token)")
                providerToken = token
                client = try connections.client(
                    .key(name, isSandbox: credentials.isSandbox), certificate: nil, now: now)
            case .certificate(let identity):
                guard now.seconds <= identity.certificate.notAfter.seconds else {
                    return .unusable(
                        reason: "the certificate expired at \(identity.certificate.notAfter.iso8601)", detail: nil)
                }
                client = try connections.client(
                    .certificate(identity.certificate.der, isSandbox: credentials.isSandbox), certificate: identity,
                    now: now)
            }
        } catch {
            return .unusable(reason: "the credentials cannot be used", detail: "\(error)")
        }
        let base = credentials.isSandbox ? addresses.appleSandbox : addresses.apple
        let request = ClientRequest(
            method: .post, url: base + path, fields: fields, body: content.payload,
            timeout: MobilePushServices.timeout)
        do throws(HTTPClientError) {
            return .answer(try await client.send(request), providerToken: providerToken)
        } catch {
            return .noAnswer(error)
        }
    }

    /// Stable, so that Apple and a log recognise a repeated try (RFC 9562 clause 5.8).
    private func id(of push: MobilePush) -> String {
        let kind = if case .withdrawal = push.content { "withdrawal" } else { "notification" }
        let name = "apns/\(push.message.device.id)/\(push.message.event.id)/\(kind)"
        return UUIDText.version8(hashing.hash(.sha256, Array(name.utf8)))
    }

    // MARK: its result

    private func outcome(
        of reply: Reply, _ device: Device, with credentials: APNsCredentials, now: Timestamp
    ) -> PushOutcome {
        switch reply {
        case .noAnswer(let error): return .noAnswer(error)
        case .unusable(let text, let detail): return .refusedCredentials(text, detail: detail)
        case .answer(let answer, _) where answer.status == 200: return .answered(.delivered, accepts: true)
        case .answer(let answer, let providerToken):
            let read = APNsAnswer(answer)
            let text = read.text
            switch read.meaning {
            case .gone(let cause):
                // Milliseconds at which Apple last found the token invalid. The app may have registered it again.
                if let found = read.timestamp, device.pushRegisteredAt.milliseconds > found {
                    return .answered(
                        .failed(reason: "\(text), but the device registered its token again"), accepts: true)
                }
                return .answered(.gone(reason: "\(text): \(cause)"), accepts: true)
            case .retry:
                // Apple counts requests for each device's token.
                return .answered(
                    .failed(reason: text, retryAfter: answer.retryAfter(now: now)), isOfDevice: answer.status == 429)
            case .refused: return .answered(.refused(reason: text))
            case .mismatch(let cause): return .answered(.refused(reason: "\(text): \(cause)"))
            case .credentials(let cause): return .refusedCredentials("\(text): \(cause)")
            case .earlierToken:
                if let providerToken, let name = APNsTokens.Name(credentials) {
                    tokens.cameTooSoon(providerToken, of: name, now: now)
                }
                return .answered(.failed(reason: text, retryAfter: answer.retryAfter(now: now)))
            case .providerToken(let cause):
                if let providerToken, let name = APNsTokens.Name(credentials),
                    tokens.refused(providerToken, of: name, now: now)
                {
                    return .answered(.failed(reason: text))
                }
                return .refusedCredentials("\(text): \(cause)")
            }
        }
    }

    // MARK: check

    /// Sends to a token that no device has: the answer tells if key, certificate and app are accepted.
    func check(_ credentials: APNsCredentials, now: Timestamp) async -> [CredentialFinding] {
        let subject = "APNs \(credentials.bundleID) (\(credentials.isSandbox ? "sandbox" : "production"))"
        let validity = Self.validity(of: credentials.proof, subject, now: now)
        if let validity, validity.state == .fault { return [validity] }
        let content = APNsContent(
            payload: WithdrawalPayload(enrollmentID: "check", transactionLinkingID: "check").apns,
            pushType: "background", priority: 5, expiration: now, collapseID: nil)
        let reply = await post(
            "/3/device/" + String(repeating: "0", count: 64), content, id: "00000000-0000-8000-8000-000000000000",
            with: credentials, now: now)
        return [validity, Self.finding(after: reply, to: credentials.proof, subject)].compactMap(\.self)
    }

    /// Nil for a key, and for a certificate whose renewal is not late.
    private static func validity(
        of proof: APNsCredentials.Proof, _ subject: String, now: Timestamp
    ) -> CredentialFinding? {
        guard case .certificate(let identity) = proof else { return nil }
        let end = identity.certificate.notAfter
        if end < now {
            return .fault(
                subject, "the certificate expired at \(end.iso8601)",
                advice: "make a new certificate, or set a p8 key")
        }
        guard identity.certificate.isRenewalLate(at: now) else { return nil }
        return .warning(
            subject, "the certificate expires at \(end.iso8601)",
            advice: "make a new certificate before then, or set a p8 key, which does not expire")
    }

    private static func finding(
        after reply: Reply, to proof: APNsCredentials.Proof, _ subject: String
    ) -> CredentialFinding {
        func refused(_ text: String) -> CredentialFinding {
            .fault(subject, text, advice: "set the credentials again: countersign push set apns")
        }
        switch reply {
        case .noAnswer(.tls(let text)) where proof.isCertificate:
            return refused("Apple's push service refuses the certificate in the handshake (\(text))")
        case .noAnswer(let error):
            return .unreachable(
                subject, service: "Apple's push service", error, hosts: "Apple's addresses", settings: "apns-url")
        case .unusable(let reason, _): return refused(reason)
        case .answer(let answer, _):
            let read = APNsAnswer(answer)
            switch read.meaning {
            // The token belongs to no device, so this is the best possible answer.
            case .gone, .mismatch:
                let name = if case .key = proof { "key" } else { "certificate" }
                return .ok(subject, "Apple accepts the \(name); the first push proves the app")
            case .providerToken(let cause) where read.isOfClock:
                return .fault(subject, "\(read.text): \(cause)", advice: CredentialFinding.settingClock)
            case .credentials(let cause), .providerToken(let cause): return refused("\(read.text): \(cause)")
            case .retry, .refused, .earlierToken: return .inconclusive(subject, read.text)
            }
        }
    }
}
