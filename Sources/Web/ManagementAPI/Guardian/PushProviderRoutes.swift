import APIDescription
import Administration
import HTTPModel
import JSONSchema
import Primitives

/// `/guardian/factors/push-notification/providers`: the tenant's credentials at push services.
struct PushProviderRoutes: Sendable {
    typealias Provider = ManagePushProviders.Provider

    let providers: ManagePushProviders

    /// Accepted members of one provider, and the members that its `set` and `read` operations return.
    private struct Form {
        let provider: Provider
        let name: String
        let members: [Member]
        let set: [String]
        let read: [String]
        let example: JSONValue
    }

    private static let forms: [Form] = [
        Form(
            provider: .apns, name: "Apple's push service (APNs)",
            members: [
                Member("sandbox", .boolean, "True for development builds"),
                Member("bundle_id", .text(1...255), "The app's"),
                Member("p12", .text(1...65_536), "The certificate with its key as PKCS #12, in Base64"),
            ],
            set: ["sandbox", "bundle_id"], read: ["bundle_id", "sandbox"],
            example: ["sandbox": false, "bundle_id": "com.example.app"]),
        Form(
            provider: .fcm, name: "Firebase's older interface (FCM)",
            members: [Member("server_key", .text(1...4096), "The server key")], set: [], read: [],
            example: ["server_key": "a-server-key"]),
        Form(
            provider: .fcmv1, name: "Firebase's interface v1 (FCM)",
            members: [Member("server_credentials", .text(1...16_384), "A service account's JSON, as a text")], set: [],
            read: [],
            example: [
                "server_credentials":
                    #"{"project_id":"example","client_email":"push@example.com","private_key":"PEM of the key"}"#
            ]),
        Form(
            provider: .sns, name: "Amazon's notification service (SNS)",
            members: [
                Member("aws_access_key_id", .text(1...255)), Member("aws_secret_access_key", .text(1...1024)),
                Member("aws_region", .text(1...255)), Member("sns_apns_platform_application_arn", .text(1...1024)),
                Member("sns_gcm_platform_application_arn", .text(1...1024)),
            ],
            set: snsNames, read: snsNames,
            example: ["aws_access_key_id": "AKIDEXAMPLE", "aws_region": "eu-central-1"]),
    ]

    private static let snsNames = [
        "aws_access_key_id", "aws_region", "sns_apns_platform_application_arn", "sns_gcm_platform_application_arn",
    ]

    private static let details = """
        Kept for the delivery of notifications. Secrets are sealed under the server's master key and never shown again.
        """

    var all: [ManagementRoute] { Self.forms.flatMap(routes) }

    private func routes(_ form: Form) -> [ManagementRoute] {
        let path = "/guardian/factors/push-notification/providers/\(form.provider.rawValue)"
        let shown = Shape.object(form.members.filter { form.set.contains($0.name) }.map(\.clearable))
        let example = JSONValue.object(Self.choose(form.set, form.example.objectValue ?? [:]))
        func change(_ method: HTTPMethod, _ verb: String, _ summary: String, replacesAll: Bool) -> ManagementRoute {
            ManagementRoute(
                method, path, "\(verb)_\(form.provider.rawValue)_provider", summary, tag: GuardianRoutes.tag,
                details: Self.details, scopes: GuardianRoutes.update,
                body: Operation.Body(
                    .object(form.members.map { $0.clearable.needing(GuardianRoutes.update) }), example: form.example),
                answer: Operation.Answer(200, "The settings without secrets", shown, example: example)
            ) { call in
                let document = try await providers.set(
                    form.provider, call.document, replacesAll: replacesAll, for: call.context)
                return .object(Self.choose(form.set, document))
            }
        }
        return [
            ManagementRoute(
                .get, path, "get_\(form.provider.rawValue)_provider", "Show how the tenant is known to \(form.name)",
                tag: GuardianRoutes.tag, details: Self.details, scopes: GuardianRoutes.read,
                answer: Operation.Answer(
                    200, "The settings without secrets; `enabled` is true if secrets are stored",
                    .object(
                        form.members.filter { form.read.contains($0.name) }.map { Member($0.name, $0.shape.orNull) }
                            + [.required("enabled", .boolean)]))
            ) { call in
                let found = try await providers.settings(of: form.provider, in: call.tenant)
                var json = JSONObject()
                for name in form.read { json[name] = found?.document[name] ?? .null }
                json["enabled"] = .bool(found?.hasSecrets ?? false)
                return .object(json)
            },
            change(.put, "replace", "Make the tenant known to \(form.name)", replacesAll: true),
            change(.patch, "update", "Change how the tenant is known to \(form.name)", replacesAll: false),
        ]
    }

    private static func choose(_ names: [String], _ document: JSONObject) -> JSONObject {
        var chosen = JSONObject()
        for name in names { chosen[name] = document[name] }
        return chosen
    }
}
