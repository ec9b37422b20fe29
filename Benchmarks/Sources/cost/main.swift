import AuthorizationCore
import Glibc
import GuardianWire
import HTTPModel
import OAuthWire
import Primitives
import TestSupport

// Fixed loads over the whole server without its sockets, one request at a time and with a clock that stands still, so that
// nothing but the load is executed. `bench --cost` runs this program under callgrind and says when each load begins.

struct Failure: Error {
    let text: String
}

FixedKeys.use()
let server = try await InProcessServer { setup in
    setup.tenant.settings.requestsPerMinutePerUser = 1_000_000
    setup.tenant.settings.pendingRequestsPerUser = 1_000_000
    setup.tenant.settings.actionsPerMinute = 1_000_000
    setup.clients = [Samples.client("agent"), Samples.app()]
    setup.apis = [try Samples.resourceServer { $0.allowsOfflineAccess = true }]
    setup.users = (0..<40).map { Samples.user("auth0|user\($0)") }
}
let agent = InProcessClient(via: server)

/// Enough that what happens once in a while is a small part.
let perUser = 5
var phones: [InProcessPhone] = []
for number in 0..<40 {
    phones.append(try await InProcessPhone(UserID("auth0|user\(number)"), identifier: "PHONE-\(number)", in: server))
}

/// With the variable `COUNTERSIGN_WASTE`, each request costs one allocation more, to prove that this is noticed.
let isWasteful = getenv("COUNTERSIGN_WASTE") != nil
nonisolated(unsafe) var wasted: UnsafeMutableRawPointer?

/// Sends prepared requests while the outer program counts. Returns the answers.
func run(_ load: String, _ requests: [Request], expecting status: Int) async throws -> [HTTPAnswer] {
    var answers: [HTTPAnswer] = []
    answers.reserveCapacity(requests.count)
    announce("ready \(load) \(requests.count)")
    for request in requests {
        answers.append(await server.send(request))
        if isWasteful {
            wasted = malloc(64)
            free(wasted)
        }
    }
    announce("done")
    for answer in answers where answer.status != status {
        throw Failure(text: "\(load) was answered \(answer.status): \(answer.text)")
    }
    return answers
}

/// Writes a line, and waits for one.
func announce(_ line: String) {
    print(line)
    fflush(nil)
    _ = readLine()
}

func start(_ phone: InProcessPhone) -> Request {
    .form("/bc-authorize", agent.startParameters(["login_hint": InProcessClient.loginHint(phone.enrollment.userID)]))
}

func poll(_ id: String) -> Request { .form("/oauth/token", agent.pollParameters(id)) }

// The first of each load makes what is kept for all.
for warm in 0..<2 {
    let rounds = warm == 0 ? 1 : perUser
    let prefix = warm == 0 ? "warm-up: " : ""
    let all = phones.flatMap { phone in (0..<rounds).map { _ in phone } }
    let started = try await run(prefix + "start", all.map(start), expecting: 200)
    let ids = started.compactMap { $0["auth_req_id"]?.stringValue }
    for load in ["first poll", "pending poll"] {
        server.advance(.seconds(10))
        _ = try await run(prefix + load, ids.map(poll), expecting: 400)
    }
    var notifications: [(phone: InProcessPhone, payload: NotificationPayload)] = []
    for (phone, id) in zip(all, ids) { notifications.append((phone, try await phone.notification(of: id))) }
    let consents = try notifications.map { try $0.phone.consentRequest($0.payload) }
    _ = try await run(prefix + "consent", consents, expecting: 200)
    let decisions = try notifications.map { each in
        each.phone.answerRequest(each.payload, response: try each.phone.response(to: each.payload))
    }
    _ = try await run(prefix + "decision", decisions, expecting: 204)
    server.advance(.seconds(10))
    _ = try await run(prefix + "redemption", ids.map(poll), expecting: 200)

    func token(_ parameters: [String: String?]) -> Request {
        .form("/oauth/token", parameters.merging(["client_id": "app"]) { first, _ in first })
    }
    var exchanges: [Request] = []
    for number in 0..<all.count {
        let code = try await server.code("\(prefix)code-\(number)") { $0.user = "auth0|user\(number % 40)" }
        exchanges.append(
            token([
                "grant_type": "authorization_code", "code": code, "redirect_uri": Samples.callback,
                "code_verifier": Samples.verifier,
            ]))
    }
    let tokens = try await run(prefix + "code exchange", exchanges, expecting: 200)
    let refreshes = tokens.map { answer in
        token(["grant_type": "refresh_token", "refresh_token": answer["refresh_token"]?.stringValue])
    }
    _ = try await run(prefix + "refresh", refreshes, expecting: 200)
}

announce("ready whole flow \(phones.count)")
for phone in phones {
    guard let id = await server.send(start(phone))["auth_req_id"]?.stringValue else { throw Failure(text: "no start") }
    let notification = try await phone.notification(of: id)
    let consent = await server.send(try phone.consentRequest(notification))
    let decided = await server.send(
        phone.answerRequest(notification, response: try phone.response(to: notification)))
    let tokens = await server.send(poll(id))
    guard consent.status == 200, decided.status == 204, tokens.status == 200 else {
        throw Failure(text: "a flow failed: \(consent.status), \(decided.status), \(tokens.status): \(tokens.text)")
    }
}
announce("done")
