import CountersignClient
import Foundation
import JOSE
import Primitives
import Terminal

extension Command {
    static var login: Command {
        let options = LoginOptions()
        return Command(
            "login", "Log a person in with the browser, and print whose account it is.",
            discussion: """
                The client must be one for logging in, with http://127.0.0.1/callback among its redirect URIs; the port \
                does not matter. The page's address is printed too, for another browser on this machine.

                The exit status tells the outcome: 0 logged in, 3 refused by the person, 4 nobody finished in time, 130 \
                interrupted, 2 a call that is not understood, 1 anything else.
                """,
            options: options.groups,
            examples: [
                Example("log in, and see who it is", "countersign login --client-id cli --ca ca.pem"),
                Example(
                    "with access to an API, kept for later",
                    "countersign login --client-id cli --audience https://api.example.com --scope 'openid "
                        + "offline_access' --save tokens.json"),
                Example("in a script", "TOKEN=$(countersign login --client-id cli --json | jq -r .access_token)"),
                Example("log out", "countersign login --logout --client-id cli --save tokens.json"),
            ]
        ) { invocation in
            let client = try ClientConnection(invocation, options.connection).client()
            let output = invocation.output
            let asJSON = try invocation[options.json]
            let store = try invocation[options.save].map { FileCredentialStore(path: $0) }
            let timeout = try invocation[options.timeout]
            let opens = try !invocation[options.noBrowser]
            let isLogout = try invocation[options.logout]
            var browser = SystemBrowser(timeout: timeout) { page throws(CountersignError) in
                output.note("\(isLogout ? "To log out" : "To log in"), open \(page.absoluteString)")
                guard opens else { return }
                do throws(CountersignError) { try SystemBrowser.open(page) } catch {
                    output.warning("\(error.failureReason ?? "")")
                }
            }
            let parameters = try options.parameters(invocation)
            browser.uiLocales = parameters.uiLocales
            let manager = store.map { CredentialsManager(client: client, store: $0) }
            if isLogout {
                let manager = manager ?? CredentialsManager(client: client, store: MemoryCredentialStore())
                return try await output.carryOut(asJSON: asJSON) { [browser] in
                    try await manager.logout(through: browser)
                } show: {
                    if asJSON { output.json(["status": "logged_out"]) }
                }
            }
            return try await output.carryOut(asJSON: asJSON) { [browser] in
                // A code is good once: what hinders saving is better known before the person logs in.
                do { try await store?.checkWritable() } catch { throw CountersignError.storage("\(error)") }
                let end = Date(timeIntervalSinceNow: Double(timeout.components.seconds))
                return try await output.wait("Waiting for the login in the browser", until: end) {
                    let tokens = try await client.login(parameters, through: browser)
                    do { try await manager?.keep(tokens) } catch {
                        // Nobody has them: they must not stay good.
                        if let token = tokens.refreshToken { try? await client.revoke(refreshToken: token) }
                        throw error
                    }
                    return tokens
                }
            } show: { tokens in
                if asJSON { output.json(tokens.json(status: "logged_in")) } else { output.fields(tokens.account) }
            }
        }
    }
}

/// The options of `countersign login`.
private struct LoginOptions: Sendable {
    let scope = Option<String>.defaulted(
        "scope", .string.placeholder("SCOPES"), to: "openid profile email", "Scopes, separated by spaces.")
    let audience = Option<String?>.optional(
        "audience", .string.placeholder("API"), environment: "COUNTERSIGN_AUDIENCE",
        "The identifier of the API that the token is for.")
    let authentication = Option<String?>.optional(
        "connection", .string.placeholder("NAME"), "Go straight to one connection, such as github.")
    let prompt = Option<[AuthorizationParameters.Prompt]>.repeated(
        "prompt", .choice(of: AuthorizationParameters.Prompt.self), "What the server may show; several are possible.")
    let maxAge = Option<Int?>.optional(
        "max-age", .integer(0...31_536_000), "Seconds since the person authenticated; longer ago, and they do again.")
    let hint = Option<String?>.optional("login-hint", .string, "Whom the login is about, such as an e-mail address.")
    let locales = Option<String?>.optional(
        "ui-locales", .string.placeholder("TAGS"), "Languages for the pages, best first, separated by spaces.")

    let noBrowser = Option<Bool>.flag("no-browser", "Print the page's address, and open nothing.")
    let timeout = Option<Duration>.defaulted(
        "timeout", .duration(.seconds(1) ... .seconds(3600)), to: .seconds(300), "How long the person has.")
    let save = Option<String?>.optional(
        "save", .path, "Keep the tokens in this file, which only you can read; with --logout, take them from there.")
    let logout = Option<Bool>.flag(
        "logout", "Log out: revoke the refresh token, remove the file, and end the browser's session.")
    let json = Option<Bool>.flag(
        "json", "Print everything that came as JSON; without tokens, status, error and error_description.")

    let connection = ConnectionOptions(client: "Which application the person logs in to.")

    var groups: [OptionGroup] {
        [
            OptionGroup(
                "Login",
                [
                    scope.declaration, audience.declaration, authentication.declaration, prompt.declaration,
                    maxAge.declaration, hint.declaration, locales.declaration,
                ]),
            OptionGroup(
                "Browser and result",
                [
                    noBrowser.declaration, timeout.declaration, save.declaration, logout.declaration, json.declaration,
                ]),
            connection.group,
        ]
    }

    func parameters(_ invocation: Invocation) throws -> AuthorizationParameters {
        var parameters = AuthorizationParameters(
            scope: try invocation[scope].split(separator: " ").map(String.init), audience: try invocation[audience],
            connection: try invocation[authentication])
        parameters.prompt = try invocation[prompt]
        parameters.maxAge = try invocation[maxAge].map { .seconds($0) }
        parameters.loginHint = try invocation[hint]
        parameters.uiLocales = try invocation[locales]?.split(separator: " ").map(String.init) ?? []
        return parameters
    }
}

extension Tokens {
    /// Whose they are and what for, without the secrets.
    fileprivate var account: [(name: String, value: Text)] {
        var rows: [(name: String, value: Text)] = []
        if let idToken {
            rows.append(("account", "\(idToken.subject)"))
            for name in ["name", "email"] {
                if let value = idToken.claims[name]?.stringValue { rows.append((name, "\(value)")) }
            }
        }
        rows.append(("scope", "\(scope.joined(separator: " "))"))
        if let expiresAt {
            rows.append(("expires", "\(Timestamp(seconds: Int64(expiresAt.timeIntervalSince1970)).iso8601)"))
        }
        return rows
    }
}
