import AuthorizationCore
import Flows
import HTTPModel
import Primitives

/// Sends by Amazon's notification service, which hands messages to Apple and Google.
struct SNSSender: Sendable {
    private static let name = "Amazon's notification service"

    private let client: SNSClient
    private let service = CredentialedService(SNSSender.name, credentials: "SNS")
    private let endpoints = SNSEndpoints()

    init(http: any OutgoingHTTPClient, hashing: any Hashing, addresses: PushAddresses) {
        client = SNSClient(http: http, hashing: hashing, addresses: addresses)
    }

    func send(
        _ push: MobilePush, token: String, by application: SNSApplication, with credentials: SNSCredentials,
        now: Timestamp
    ) async -> DeliveryAttempt {
        // SNS distinguishes case, and Apple's tokens are lower case.
        let token = application.platform == .google ? token : token.lowercased()
        guard let publication = SNSPublication(push, application.platform, now: now) else {
            return DeliveryAttempt(.refused(reason: "the message is too long for Apple's push service"))
        }
        let name = SNSEndpoints.Name(credentials: credentials.stamp, application: application, token: token)
        return await service.send(with: credentials.stamp, now: now) {
            do throws(SNSClient.Failure) {
                return try await publish(publication, name, with: credentials, now: now)
            } catch {
                return Self.outcome(after: error)
            }
        }
    }

    private func publish(
        _ publication: SNSPublication, _ name: SNSEndpoints.Name, with credentials: SNSCredentials, now: Timestamp
    ) async throws(SNSClient.Failure) -> PushOutcome {
        let endpoint = try await endpoint(name, with: credentials, now: now)
        do throws(SNSClient.Failure) {
            _ = try await client.call("Publish", publication.parameters(to: endpoint), with: credentials, now: now)
            return .answered(.delivered, accepts: true)
        } catch {
            if error.isOfLostEndpoint { return lost(name) }
            guard error.code?.hasPrefix("EndpointDisabled") == true else { throw error }
            return try await disabled(endpoint, name, with: credentials, now: now)
        }
    }

    // MARK: endpoints

    private func endpoint(
        _ name: SNSEndpoints.Name, with credentials: SNSCredentials, now: Timestamp
    ) async throws(SNSClient.Failure) -> String {
        if let known = endpoints.known(name)?.arn { return known }
        let arn: String
        do throws(SNSClient.Failure) {
            let text = try await client.call(
                "CreatePlatformEndpoint", [("PlatformApplicationArn", name.application.arn), ("Token", name.token)],
                with: credentials, now: now)
            guard let made = SNSClient.element("EndpointArn", in: text) else {
                throw .answered(status: 200, code: nil, message: "", retryAfter: nil)
            }
            arn = made
        } catch {
            // The same token has an endpoint with other attributes, which the message names.
            guard case .answered(_, "InvalidParameter", let message, _) = error,
                let found = Self.existing(in: message, of: name.application)
            else { throw error }
            arn = found
        }
        endpoints.keep(SNSEndpoints.Endpoint(arn: arn), name)
        return arn
    }

    private static func existing(in message: String, of application: SNSApplication) -> String? {
        guard message.contains("already exists") else { return nil }
        let prefix = application.arn.replacing(":app/", with: ":endpoint/", maxReplacements: 1) + "/"
        return message.split(separator: " ").map(String.init).first { $0.hasPrefix(prefix) }
    }

    /// A disabled endpoint is enabled once, for a token that the app registered again. If the service disables it once
    /// more, the token is of no use.
    private func disabled(
        _ endpoint: String, _ name: SNSEndpoints.Name, with credentials: SNSCredentials, now: Timestamp
    ) async throws(SNSClient.Failure) -> PushOutcome {
        if endpoints.known(name)?.wasEnabled == true {
            // A remaining endpoint would be enabled again for the token's next device.
            _ = try? await client.call("DeleteEndpoint", [("EndpointArn", endpoint)], with: credentials, now: now)
            endpoints.forget(name)
            return .answered(.gone(reason: "\(Self.name) disabled the device's endpoint again"), accepts: true)
        }
        do throws(SNSClient.Failure) {
            _ = try await client.call(
                "SetEndpointAttributes",
                [
                    ("EndpointArn", endpoint), ("Attributes.entry.1.key", "Enabled"),
                    ("Attributes.entry.1.value", "true"), ("Attributes.entry.2.key", "Token"),
                    ("Attributes.entry.2.value", name.token),
                ], with: credentials, now: now)
        } catch {
            guard error.code == "NotFound" else { throw error }
            return lost(name)
        }
        endpoints.keep(SNSEndpoints.Endpoint(arn: endpoint, wasEnabled: true), name)
        return .answered(.failed(reason: "\(Self.name) had disabled the device's endpoint"), accepts: true)
    }

    private func lost(_ name: SNSEndpoints.Name) -> PushOutcome {
        endpoints.forget(name)
        return .answered(.failed(reason: "the device's endpoint was deleted; another one is made"))
    }

    // MARK: failures

    private static func outcome(after failure: SNSClient.Failure) -> PushOutcome {
        switch failure {
        case .unreachable(let error): return .noAnswer(error)
        case .answered(let status, let code, let message, let retryAfter):
            let text = "\(name) answered \(status)" + (code.map { " \($0)" } ?? "")
            if let cause = credentialsCause(status, code) { return .refusedCredentials("\(text): \(cause)") }
            // The device chose the token.
            if code == "InvalidParameter", message.contains("Token") {
                return .answered(.gone(reason: "\(text): the device's token is not one of its push service"))
            }
            if status == 200 || ClientResponse.mayPass(status: status) || code.map(throttles.contains) == true {
                return .answered(.failed(reason: text, retryAfter: retryAfter))
            }
            return .answered(.refused(reason: text))
        }
    }

    private static let throttles: Set<String> = [
        "Throttled", "Throttling", "ThrottledException", "ThrottlingException", "RequestLimitExceeded",
        "KMSThrottling",
    ]

    /// `NotFound` comes from actions on applications alone: for endpoints, it is caught before.
    private static func credentialsCause(_ status: Int, _ code: String?) -> String? {
        switch code {
        case "InvalidClientTokenId", "UnrecognizedClientException": "there is no such access key"
        case "SignatureDoesNotMatch": "the secret access key is wrong"
        case "RequestExpired", "RequestTimeTooSkewed": "this server's clock is wrong"
        case "AuthorizationError", "AccessDenied", "OptInRequired": "the access key may not send with this application"
        case "PlatformApplicationDisabled", "PlatformApplicationDisabledException":
            "the platform application is disabled; renew its credentials in Amazon's console"
        case "NotFound": "there is no such platform application"
        default: status == 401 || status == 403 ? "the access key is refused" : nil
        }
    }

    // MARK: check

    /// Reads the applications' attributes.
    func check(_ credentials: SNSCredentials, now: Timestamp) async -> [CredentialFinding] {
        var findings: [CredentialFinding] = []
        for application in [credentials.appleApplication, credentials.googleApplication].compactMap(\.self) {
            findings.append(await check(application, with: credentials, now: now))
        }
        return findings
    }

    private func check(
        _ application: SNSApplication, with credentials: SNSCredentials, now: Timestamp
    ) async -> CredentialFinding {
        let subject = "SNS \(application.platform.rawValue) in \(application.region)"
        do throws(SNSClient.Failure) {
            let text = try await client.call(
                "GetPlatformApplicationAttributes", [("PlatformApplicationArn", application.arn)], with: credentials,
                now: now)
            if text.contains("<key>Enabled</key><value>false</value>") {
                return .fault(
                    subject, "the platform application is disabled",
                    advice: "renew its credentials in Amazon's console")
            }
            return .ok(subject, "Amazon knows the application and accepts the access key")
        } catch {
            switch error {
            case .unreachable(let error):
                return .unreachable(
                    subject, service: Self.name, error, hosts: "the region's address",
                    settings: "sns-url")
            case .answered(let status, let code, _, _):
                let text = "answered \(status)" + (code.map { " \($0)" } ?? "")
                guard let cause = Self.credentialsCause(status, code) else { return .inconclusive(subject, text) }
                let isOfClock = ["RequestExpired", "RequestTimeTooSkewed"].contains(code)
                return .fault(
                    subject, "\(text): \(cause)",
                    advice: isOfClock
                        ? CredentialFinding.settingClock : "set the credentials again: countersign push set sns")
            }
        }
    }
}
