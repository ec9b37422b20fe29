import APIDescription
import HTTPModel
import Primitives
import Routing

/// Operations of browsers. All answers are pages or lead to one.
extension Operation {
    private static let page = Answer(200, "A page", .text(), mediaType: "text/html; charset=utf-8")
    private static let away = Answer(302, "Elsewhere")
    private static let wrong = Answer(
        400, "A page that says what is wrong", .text(), mediaType: "text/html; charset=utf-8")

    static func hosted(_ id: String, _ summary: String, parameters: [Parameter] = [], body: Body? = nil) -> Operation {
        Operation(
            id, summary, tag: "Login", parameters: parameters, body: body,
            answers: [
                page, away, Answer(303, "The next page"), wrong,
                Answer(403, "A page that says why not", .text(), mediaType: "text/html; charset=utf-8"),
                Answer(404, "A page, or no tenant of that host name", .text(), mediaType: "text/html; charset=utf-8"),
                Answer(429, "A page that says how long to wait", .text(), mediaType: "text/html; charset=utf-8"),
                Answer(503, "The server has too much to do", .text(), mediaType: "text/html; charset=utf-8"),
            ] + refusals("OAuthError", [411]))
    }

    /// The issuer's own address.
    static let welcome = Operation(
        "welcome", "Say what this is", tag: "Login", answers: [page] + refusals("OAuthError", [404, 411]))

    private static func query(_ name: String, _ description: String, isRequired: Bool = false) -> Parameter {
        Parameter(name, in: .query, .text(), description, isRequired: isRequired)
    }

    /// OIDC Core 3.1.2.1; `id` differs by method.
    static func authorization(_ id: String) -> Operation {
        hosted(
            id, "Log a user in",
            parameters: [
                query("client_id", "Who asks", isRequired: true), query("response_type", "code"),
                query("redirect_uri", "Where the code goes, as registered"), query("scope", "openid and others"),
                query("state", "Comes back as it is"), query("nonce", "Goes into the ID token"),
                query("audience", "The API that the access token is for"), query("resource", "The same (RFC 8707)"),
                query("code_challenge", "BASE64URL(SHA256(code_verifier)) (RFC 7636); required of public clients"),
                query("code_challenge_method", "S256"), query("prompt", "none, login, consent, select_account"),
                query("max_age", "Seconds since the last login"), query("connection", "Goes straight there"),
                query("login_hint", "An e-mail address"), query("id_token_hint", "An ID token of who is to be there"),
                query("screen_hint", "signup"), query("ui_locales", "en or fr"),
                query("response_mode", "query, fragment, form_post or web_message"),
                query("request_uri", "What was pushed (RFC 9126)"),
            ])
    }

    static let logOutAtOnce = hosted(
        "log_out_at_once", "Log out",
        parameters: [
            query("returnTo", "Where to, as registered but for query and fragment"), query("client_id", "Of whom"),
        ])

    static func endSession(_ id: String) -> Operation {
        hosted(
            id, "Log out (OIDC RP-Initiated Logout 1.0)",
            parameters: [
                query("id_token_hint", "Whose session"), query("client_id", "Who asks"), query("state", "Comes back"),
                query("post_logout_redirect_uri", "Where to, as registered"), query("logout_hint", "Which session"),
            ])
    }

    static let icon = Operation(
        "icon", "What browsers ask for where a page names no icon", tag: "Login",
        answers: [Answer(204, "There is none")] + refusals("OAuthError", [400, 404]))

    /// `system` is that of the phone.
    static func appCallback(_ system: String) -> Operation {
        Operation(
            "\(system)_callback", "Say to return to an app that did not catch its link", tag: "Login",
            parameters: [Parameter("id", in: .path, .text(), "The app's name")],
            answers: [page] + refusals("OAuthError", [400, 404]))
    }

    static let asset = Operation(
        "asset", "A style sheet, an image or a script of the hosted pages", tag: "Login",
        parameters: [Parameter("name", in: .path, .text(), "With a hash of what it holds")],
        answers: [Answer(200, "May be kept for ever", .text(), mediaType: "text/css")]
            + refusals("OAuthError", [400, 404]))
}
