import APIDescription
import AuthorizationCore
import JSONSchema
import Localization
import Routing

/// Operations of browsers. All answers are pages or lead to one.
extension Operation {
    private static let page = Answer(200, "A page", .text(), mediaType: "text/html; charset=utf-8")
    private static let redirect = Answer(302, "A redirect")
    private static let wrong = Answer(
        400, "A page that explains the problem", .text(), mediaType: "text/html; charset=utf-8")

    static func hosted(_ id: String, _ summary: String, parameters: [Parameter] = [], body: Body? = nil) -> Operation {
        Operation(
            id, summary, tag: "Login", parameters: parameters, body: body,
            answers: [
                page, redirect, Answer(303, "A redirect to the next page"), wrong,
                Answer(
                    403, "A page that explains why the login was refused", .text(),
                    mediaType: "text/html; charset=utf-8"),
                Answer(404, "A page, or no tenant has this host name", .text(), mediaType: "text/html; charset=utf-8"),
                Answer(429, "A page that names the time to wait", .text(), mediaType: "text/html; charset=utf-8"),
                Answer(503, "The server is overloaded", .text(), mediaType: "text/html; charset=utf-8"),
            ] + refusals("OAuthError", [411, 413]))
    }

    /// The dashboard's stream, which is no page.
    static var requestEvents: Operation {
        var events = hosted("admin_request_events", "Say when requests change, as an event stream")
        events.answers =
            [
                Answer(200, "An event at each change", .text(), mediaType: "text/event-stream"),
                Answer(204, "There is nothing to follow"),
            ] + events.answers.dropFirst()
        return events
    }

    /// The issuer's own address.
    static let welcome = Operation(
        "welcome", "Show the server's purpose", tag: "Login", answers: [page] + refusals("OAuthError", [404, 411, 413]))

    private static func webApp(
        _ id: String, _ summary: String, parameters: [Parameter] = [], _ answers: [Answer]
    ) -> Operation {
        Operation(
            id, summary, tag: "Approver", parameters: parameters,
            answers: answers + refusals("OAuthError", [400, 404, 411, 413]))
    }

    private static let unchanged = Answer(304, "Unchanged")

    static let approver = webApp("approver", "Show the web app with which people approve", [page, unchanged])
    static let approverWorker = webApp(
        "approver_worker", "Load the web app's service worker",
        [Answer(200, "A script", .text(), mediaType: "text/javascript; charset=utf-8"), unchanged])
    static let approverManifest = webApp(
        "approver_manifest", "Load the web app's manifest",
        [Answer(200, "A manifest", .anyObject, mediaType: "application/manifest+json"), unchanged])
    static let approverSettings = webApp(
        "approver_settings", "Show what the web app has to know of the tenant",
        [
            Answer(
                200, "The settings",
                .object([
                    .required("issuer", .text()), .required("name", .text()),
                    .required("base", .text(), "The base of the device API"),
                    .required(
                        "phones_add_phones", .choice(PhoneAddition.allCases.map(\.rawValue)),
                        "The proof with which a phone adds another"),
                    Member("web_push_key", .text(), "The public key of pushes (RFC 8292), in base64url"),
                ])), unchanged,
        ])
    static let approverFile = webApp(
        "approver_file", "Load a file of the web app",
        parameters: [
            Parameter("version", in: .path, .text(), "A hash of all files"),
            Parameter("name", in: .path, .text(), "The file"),
        ], [Answer(200, "A script, a stylesheet or a picture. It may be cached forever", .text(), mediaType: "*/*")])

    private static func query(_ name: String, _ description: String, isRequired: Bool = false) -> Parameter {
        Parameter(name, in: .query, .text(), description, isRequired: isRequired)
    }

    /// OIDC Core 3.1.2.1; `id` differs by method.
    static func authorization(_ id: String) -> Operation {
        hosted(
            id, "Log a user in",
            parameters: [
                query("client_id", "The client", isRequired: true), query("response_type", "code"),
                query("redirect_uri", "A registered address for the code"), query("scope", "openid and others"),
                query("state", "Returned unchanged"), query("nonce", "Included in the ID token"),
                query("audience", "The API that the access token is for"), query("resource", "The same (RFC 8707)"),
                query("code_challenge", "BASE64URL(SHA256(code_verifier)) (RFC 7636); required of public clients"),
                query("code_challenge_method", "S256"), query("prompt", "none, login, consent, select_account"),
                query("max_age", "Seconds since the last login"), query("connection", "The connection to log in with"),
                query("login_hint", "An e-mail address"), query("id_token_hint", "An ID token of the expected user"),
                query("screen_hint", "signup"),
                query("ui_locales", Language.allCases.map(\.rawValue).joined(separator: ", ")),
                query("response_mode", "query, fragment, form_post or web_message"),
                query("request_uri", "A pushed request (RFC 9126)"),
            ])
    }

    /// The page to decide a request on. `id` differs by method.
    static func approval(_ id: String, _ summary: String) -> Operation {
        hosted(
            id, summary,
            parameters: [
                query("id", "The request: cns_ and 22 characters"),
                query("ui_locales", Language.allCases.map(\.rawValue).joined(separator: ", ")),
            ])
    }

    static let logOutAtOnce = hosted(
        "log_out_at_once", "Log out",
        parameters: [
            query("returnTo", "A registered address; query and fragment may differ"), query("client_id", "The client"),
        ])

    static func endSession(_ id: String) -> Operation {
        hosted(
            id, "Log out (OIDC RP-Initiated Logout 1.0)",
            parameters: [
                query("id_token_hint", "An ID token of the session"), query("client_id", "The client"),
                query("state", "Returned unchanged"),
                query("post_logout_redirect_uri", "A registered address"), query("logout_hint", "The session"),
            ])
    }

    static let icon = Operation(
        "icon", "Answer browsers that ask for an icon", tag: "Login",
        answers: [Answer(204, "There is no icon")] + refusals("OAuthError", [400, 404]))

    /// `system` is that of the phone.
    static func appCallback(_ system: String) -> Operation {
        Operation(
            "\(system)_callback", "Ask the person to return to an app that did not open its link", tag: "Login",
            parameters: [Parameter("id", in: .path, .text(), "The app's name")],
            answers: [page] + refusals("OAuthError", [400, 404]))
    }

    static let asset = Operation(
        "asset", "A style sheet, an image or a script of the hosted pages", tag: "Login",
        parameters: [Parameter("name", in: .path, .text(), "The name, with a hash of the content")],
        answers: [Answer(200, "May be cached forever", .text(), mediaType: "text/css")]
            + refusals("OAuthError", [400, 404]))
}
