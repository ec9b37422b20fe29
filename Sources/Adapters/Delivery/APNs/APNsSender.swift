import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import X509

/// Sends to Apple's push service over HTTP/2.
struct APNsSender: Sendable {
    /// Bytes of a payload at most, by Apple's limit.
    static let payloadLimit = 4096

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
        _ message: DeviceMessage, token: String, with credentials: APNsCredentials, now: Timestamp
    ) async -> DeliveryAttempt {
        guard let path = Self.path(token) else {
            return DeliveryAttempt(.refused(reason: "the device's token is not one of Apple's push service"))
        }
        guard let content = APNsContent(message, limit: Self.payloadLimit) else {
            return DeliveryAttempt(.refused(reason: "the message is too long for Apple's push service"))
        }
        return await service.send(with: credentials.stamp, now: now) {
            let reply = await post(path, content, id: id(of: message), with: credentials, now: now)
            return outcome(of: reply, message.device, with: credentials, now: now)
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
                client = try connections.client(.key(name, isSandbox: credentials.isSandbox), certificate: nil)
            case .certificate(let identity):
                guard now.seconds <= identity.certificate.notAfter.seconds else {
                    return .unusable(
                        reason: "the certificate expired at \(identity.certificate.notAfter.iso8601)", detail: nil)
                }
                client = try connections.client(
                    .certificate(identity.certificate.der, isSandbox: credentials.isSandbox), certificate: identity)
            }
        } catch {
            return .unusable(reason: "the credentials cannot be used", detail: "\(error)")
        }
        let base = credentials.isSandbox ? addresses.appleSandbox : addresses.apple
        let request = ClientRequest(
            method: .post, url: base + path, fields: fields, body: content.payload, timeout: mobilePushTimeout)
        do throws(HTTPClientError) {
            return .answer(try await client.send(request), providerToken: providerToken)
        } catch {
            return .noAnswer(error)
        }
    }

    /// Stable, so that Apple and a log recognise a repeated try (RFC 9562 clause 5.8).
    private func id(of message: DeviceMessage) -> String {
        let kind = if case .withdrawal = message.event.content { "withdrawal" } else { "notification" }
        var bytes = Array(
            hashing.hash(.sha256, Array("apns/\(message.device.id)/\(message.event.id)/\(kind)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = Hex.encode(bytes)
        var parts: [Substring] = []
        var rest = text[...]
        for count in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return parts.joined(separator: "-")
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
            case .retry: return .answered(.failed(reason: text, retryAfter: answer.fields.retryAfter(now: now)))
            case .refused: return .answered(.refused(reason: text))
            case .mismatch(let cause): return .answered(.refused(reason: "\(text): \(cause)"))
            case .credentials(let cause): return .refusedCredentials("\(text): \(cause)")
            case .earlierToken:
                if let providerToken, let name = APNsTokens.Name(credentials) {
                    tokens.cameTooSoon(providerToken, of: name, now: now)
                }
                return .answered(.failed(reason: text, retryAfter: answer.fields.retryAfter(now: now)))
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
        var findings: [CredentialFinding] = []
        if case .certificate(let identity) = credentials.proof {
            let end = identity.certificate.notAfter
            let left = end - now
            if left < .seconds(0) {
                return [
                    .fault(
                        subject, "the certificate expired at \(end.iso8601)",
                        advice: "Make a new certificate, or set a p8 key.")
                ]
            }
            if left < .seconds(30 * 86_400) {
                findings.append(
                    .warning(
                        subject, "the certificate expires at \(end.iso8601)",
                        advice: "Make a new certificate before then, or set a p8 key, which does not expire."))
            }
        }
        let content = APNsContent(
            payload: WithdrawalPayload(enrollmentID: "check", transactionLinkingID: "check").apns,
            pushType: "background", priority: 5, expiration: now, collapseID: nil)
        let id = "00000000-0000-8000-8000-000000000000"
        let path = "/3/device/" + String(repeating: "0", count: 64)
        switch await post(path, content, id: id, with: credentials, now: now) {
        case .noAnswer(let error):
            findings.append(
                .fault(
                    subject, "Apple's push service cannot be reached: \(error.text)",
                    advice: "Allow connections to port 443 of Apple's addresses, or set apns-url."))
        case .unusable(let reason, _):
            findings.append(.fault(subject, reason, advice: "Set the credentials again: countersign push set apns."))
        case .answer(let answer, _):
            let read = APNsAnswer(answer)
            switch read.meaning {
            // The token is no device's, so that no other answer is better.
            case .gone, .mismatch:
                let proof = if case .key = credentials.proof { "key" } else { "certificate" }
                findings.append(.ok(subject, "Apple accepts the \(proof); the first push proves the app"))
            case .credentials(let cause), .providerToken(let cause):
                findings.append(
                    .fault(
                        subject, "\(read.text): \(cause)",
                        advice: "Set the credentials again: countersign push set apns."))
            case .retry, .refused, .earlierToken:
                findings.append(
                    .warning(subject, "\(read.text), which proves nothing", advice: "Try again in a few minutes."))
            }
        }
        return findings
    }
}

/// Answer of Apple's push service to a message that it does not take.
private struct APNsAnswer {
    let meaning: APNsReason.Meaning
    /// Status and reason.
    let text: String
    let timestamp: Int?

    init(_ answer: ClientResponse) {
        let body = (try? JSONReader.parse(answer.body, depthLimit: 4))?.objectValue
        let reason = body?["reason"]?.stringValue.flatMap(APNsReason.init(rawValue:))
        meaning = reason?.meaning ?? APNsReason.meaning(ofStatus: answer.status)
        text = "Apple's push service answered \(answer.status)" + (reason.map { " \($0.rawValue)" } ?? "")
        timestamp = body?["timestamp"]?.intValue
    }
}

extension APNsTokens.Name {
    /// Nil for a certificate.
    fileprivate init?(_ credentials: APNsCredentials) {
        guard case .key(let signer, let keyID, let teamID) = credentials.proof else { return nil }
        self.init(teamID: teamID, keyID: keyID, key: signer.publicKey)
    }
}

/// Payload and headers of one message.
struct APNsContent: Sendable {
    let payload: [UInt8]
    let pushType: String
    let priority: Int
    let expiration: Timestamp
    /// Messages with the same one replace each other: a withdrawal its notification.
    let collapseID: String?
}

extension APNsContent {
    /// Shortens the text on the lock screen to what fits. Nil if it is too long without the text.
    init?(_ message: DeviceMessage, limit: Int) {
        switch message.event.content {
        case .notification(var payload):
            var bytes = payload.apns
            if bytes.count > limit {
                payload.title = payload.title.map { Self.shortened($0, to: 256) }
                let whole = payload.body ?? ""
                payload.body = ""
                var room = limit - payload.apns.count
                repeat {
                    guard room >= 0 else { return nil }
                    payload.body = Self.shortened(whole, to: room)
                    bytes = payload.apns
                    // A character of JSON has at most 6 bytes for each of the text's.
                    room -= max(1, (bytes.count - limit) / 6)
                } while bytes.count > limit
            }
            self.init(
                payload: bytes, pushType: "alert", priority: 10, expiration: message.expiresAt,
                collapseID: payload.transactionLinkingID)
        case .withdrawal(let id):
            self.init(
                payload: WithdrawalPayload(enrollmentID: message.device.id.rawValue, transactionLinkingID: id).apns,
                pushType: "background", priority: 5, expiration: message.expiresAt, collapseID: id)
        case .pending: return nil
        }
    }

    /// Whole characters of at most `limit` bytes with an ellipsis, if the text is longer.
    private static func shortened(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var kept = ""
        var count = 3
        for character in text {
            count += character.utf8.count
            guard count <= limit else { break }
            kept.append(character)
        }
        return limit >= 3 ? kept + "\u{2026}" : ""
    }
}
