import AuthorizationCore
import Flows
import Localization
import Pages
import Primitives

/// Programs to copy that ask a person in a client's name, and wait for the answer.
struct ClientPrograms {
    let issuer: String
    let client: String
    /// Hint that names the person who looks at the page.
    let person: String

    init(_ client: String, _ visit: DashboardVisit) {
        let user = visit.visitor.user
        issuer = visit.request.tenant.issuer
        self.client = client
        let address = user.emailVerified ? user.email?.description : nil
        person =
            address
            ?? JSONWriter.string([
                "format": "iss_sub", "iss": .string(issuer), "sub": .string(user.id.rawValue),
            ])
    }

    var block: DashboardBlock {
        let texts = localized.dashboard.clients
        return .disclosure(
            texts.fromProgram,
            [
                .code(curl, label: texts.withCurl), .code(python, label: texts.withPython),
                .code(typeScript, label: texts.withTypeScript),
            ])
    }

    /// A text as Python and TypeScript write it.
    private static func literal(_ text: String) -> String { JSONWriter.string(.string(text)) }

    private static let grant = "urn:openid:params:grant-type:ciba"

    private var curl: String {
        """
        CLIENT=\(TerminalLines.quoted(client)) ISSUER=\(TerminalLines.quoted(issuer))
        ANSWER=$(curl -sS -u "$CLIENT:$CLIENT_SECRET" "${ISSUER}bc-authorize" \\
          --data-urlencode login_hint=\(TerminalLines.quoted(person)) \\
          --data-urlencode 'binding_message=Order 4711' -d scope=openid)
        AUTH_REQ_ID=$(sed 's/.*"auth_req_id":"\\([^"]*\\)".*/\\1/' <<< "$ANSWER")
        curl -sS -u "$CLIENT:$CLIENT_SECRET" "${ISSUER}oauth/token" \\
          -H 'Prefer: wait=30' -d grant_type=\(Self.grant) -d auth_req_id="$AUTH_REQ_ID"
        """
    }

    private var python: String {
        """
        import os, time
        import requests

        ISSUER, CLIENT = \(Self.literal(issuer)), (\(Self.literal(client)), os.environ["CLIENT_SECRET"])
        started = requests.post(f"{ISSUER}bc-authorize", auth=CLIENT, timeout=30, data={
            "login_hint": \(Self.literal(person)), "binding_message": "Order 4711", "scope": "openid"}).json()
        while True:
            answer = requests.post(f"{ISSUER}oauth/token", auth=CLIENT, timeout=60, headers={"Prefer": "wait=30"}, data={
                "grant_type": "\(Self.grant)", "auth_req_id": started["auth_req_id"]}).json()
            if answer.get("error") not in ("authorization_pending", "slow_down"):
                break
            time.sleep(answer.get("interval", started["interval"]))
        print(answer)
        """
    }

    private var typeScript: String {
        """
        const issuer = \(Self.literal(issuer));
        const credentials = btoa(\(Self.literal(client)) + ":" + process.env.CLIENT_SECRET);
        async function post(path: string, fields: Record<string, string>) {
            const answer = await fetch(issuer + path, {
                method: "POST", body: new URLSearchParams(fields),
                headers: { Authorization: `Basic ${credentials}`, Prefer: "wait=30" },
            });
            return answer.json();
        }
        const started = await post("bc-authorize", {
            login_hint: \(Self.literal(person)), binding_message: "Order 4711", scope: "openid",
        });
        let answer;
        do {
            answer = await post("oauth/token", {
                grant_type: "\(Self.grant)", auth_req_id: started.auth_req_id,
            });
            if (answer.error) await new Promise((done) => setTimeout(done, 1000 * started.interval));
        } while (["authorization_pending", "slow_down"].includes(answer.error));
        console.log(answer);
        """
    }
}
