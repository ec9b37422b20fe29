import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/prompts/mfa-push`: the app that the pages recommend to people who add a phone. Auth0's tools set it there.
struct ApprovalAppRoutes: Sendable {
    private static let path = "/prompts/mfa-push"

    let apps: ManageApprovalApp

    private static let details = """
        Shown with its icon and its links by the pages that add a phone. Without an app they recommend the web app. The \
        tenant's setting `approval_app` is the same. The scopes of prompts serve, too, as at Auth0. `icon_url` is an \
        addition.
        """

    private static let shape = Shape.object(ApprovalApp.fields.members(.whole))
    private static let example: JSONValue = [
        "app_name": "Example Approvals", "icon_url": "https://example.com/icon.png",
        "apple_app_link": "https://apps.apple.com/app/id123456789",
        "google_app_link": "https://play.google.com/store/apps/details?id=com.example.approvals",
    ]

    var all: [ManagementRoute] {
        let answer = Operation.Answer(
            200, "The app; members without a value are absent", Self.shape, example: Self.example)
        return [
            ManagementRoute(
                .get, Self.path, "get_approval_app", "Show the app that is recommended for approvals",
                in: GuardianRoutes.group, details: Self.details, scopes: [["read:guardian_factors"], ["read:prompts"]],
                answer: answer
            ) { call in .object(try await apps.app(of: call.tenant)) },
            ManagementRoute(
                .patch, Self.path, "update_approval_app", "Change the app that is recommended for approvals",
                in: GuardianRoutes.group, details: Self.details + " Null or an empty text deletes a member.",
                scopes: [["update:guardian_factors"], ["update:prompts"]],
                body: Operation.Body(.object(ApprovalApp.fields.members(.update)), example: Self.example),
                answer: answer
            ) { call in .object(try await apps.update(call.document, for: call.context)) },
        ]
    }
}
