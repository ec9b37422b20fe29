import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/guardian/factors/push-notification/providers`: the tenant's credentials at push services.
struct PushProviderRoutes: Sendable {
    typealias Provider = PushProvider

    let providers: ManagePushProviders

    /// Members of one provider. Operations return those that are no secrets.
    private struct Form {
        let provider: Provider
        let name: String
        let members: [Member]
        let example: JSONObject

        var shown: [Member] { members.filter { !provider.secrets.contains($0.name) } }

        func shown(of document: JSONObject) -> JSONObject {
            Projection(names: Set(shown.map(\.name)), includes: true).apply(to: document)
        }
    }

    private static let forms: [Form] = [
        Form(
            provider: .apns, name: "Apple's push service (APNs)",
            members: [
                Member("sandbox", .boolean, "True for development builds"),
                Member("bundle_id", .text(1...155), "The app's"),
                Member(
                    "p12", .text(1...65_536),
                    "The certificate with its key as PKCS #12 without a password, in Base64. Null if `p8` is set"),
                Member(
                    "p8", .text(1...65_536),
                    "Instead of a certificate: the text of a key file, AuthKey_KEYID.p8. Not a member of Auth0's API"),
                Member("key_id", .text(10...10), "The key's id, with `p8`"),
                Member("team_id", .text(10...10), "The developer team's id, with `p8`"),
            ],
            example: ["sandbox": false, "bundle_id": "com.example.app"]),
        Form(
            provider: .fcm, name: "Firebase's older interface (FCM)",
            members: [
                Member(
                    "server_key", .text(1...4096),
                    "The server key. Stored, but not used: Google ended this interface in 2024; set `fcmv1` instead")
            ],
            example: ["server_key": "a-server-key"]),
        Form(
            provider: .fcmv1, name: "Firebase's interface v1 (FCM)",
            members: [Member("server_credentials", .text(1...65_536), "A service account's JSON, as a text")],
            example: [
                "server_credentials":
                    #"{"project_id":"example","client_email":"push@example.com","private_key":"PEM of the key"}"#
            ]),
        Form(
            provider: .sns, name: "Amazon's notification service (SNS)",
            members: [
                Member("aws_access_key_id", .text(1...128)), Member("aws_secret_access_key", .text(1...1024)),
                Member("aws_region", .text(1...32)), Member("sns_apns_platform_application_arn", .text(1...1024)),
                Member("sns_gcm_platform_application_arn", .text(1...1024)),
            ],
            example: ["aws_access_key_id": "AKIDEXAMPLE", "aws_region": "eu-central-1"]),
    ]

    /// Members that Auth0's API does not have. Shown only if they are set.
    private static let additions: Set = ["key_id", "team_id"]

    private static let details = """
        Notifications are sent with them. Secrets are sealed under the server's master key and never shown again.
        """

    var all: [ManagementRoute] { Self.forms.flatMap(routes) }

    private func routes(_ form: Form) -> [ManagementRoute] {
        let path = "/guardian/factors/push-notification/providers/\(form.provider.rawValue)"
        let shown = Shape.object(form.shown)
        let example = JSONValue.object(form.shown(of: form.example))
        func change(_ method: HTTPMethod, _ verb: String, _ summary: String, replacesAll: Bool) -> ManagementRoute {
            ManagementRoute(
                method, path, "\(verb)_\(form.provider.rawValue)_provider", summary, in: GuardianRoutes.group,
                details: Self.details,
                body: Operation.Body(
                    .object(form.members.map { $0.clearable.protecting(.identity, [["update:guardian_factors"]]) }),
                    example: .object(form.example)),
                answer: Operation.Answer(200, "The settings without secrets", shown, example: example)
            ) { call in
                let document = try await providers.set(
                    form.provider, call.document, replacesAll: replacesAll, for: call.context)
                return .object(form.shown(of: document))
            }
        }
        return [
            ManagementRoute(
                .get, path, "get_\(form.provider.rawValue)_provider", "Show the settings for \(form.name)",
                in: GuardianRoutes.group, details: Self.details,
                answer: Operation.Answer(
                    200, "The settings without secrets; `enabled` is true if secrets are stored",
                    .object(form.shown.map(\.clearable) + [.required("enabled", .boolean)]))
            ) { call in
                let found = try await providers.settings(of: form.provider, in: call.tenant)
                var json = JSONObject()
                for member in form.shown {
                    let value = found?.document[member.name]
                    json[member.name] = Self.additions.contains(member.name) ? value : value ?? .null
                }
                json["enabled"] = .bool(found?.hasSecrets ?? false)
                return .object(json)
            },
            ManagementRoute(
                .delete, path, "delete_\(form.provider.rawValue)_provider", "Remove the settings for \(form.name)",
                in: GuardianRoutes.group, details: "Phones keep their tokens. Auth0 has no such operation.",
                scopes: [["update:guardian_factors"]], answer: Operation.Answer(204, "Done")
            ) { call in
                try await removing(.pushProvider) { try await providers.remove(form.provider, for: call.context) }
            },
            change(.put, "replace", "Set the settings for \(form.name)", replacesAll: true),
            change(.patch, "update", "Change the settings for \(form.name)", replacesAll: false),
        ]
    }
}
