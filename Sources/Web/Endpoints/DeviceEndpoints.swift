import APIDescription
import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import OAuthWire
import Primitives
import Routing

/// Endpoints of phones: Guardian's appliance protocol, the consent API and the device channel.
struct DeviceEndpoints: Sendable {
    let flows: UseCases
    let timer: any Timer
    let qrCode: @Sendable (String) -> [[Bool]]?

    var routes: [Route] {
        [
            Route(
                path: AppliancePath.richConsents + "/{id}", .device(scheme: DPoPProof.scheme),
                [.get: (.fetchConsent, consent)])
        ]
            // Hosts that serve Guardian alone have no base. The metrics count both paths under one name.
            + [AppliancePath.base, ""].flatMap { base in
                func route(
                    _ path: AppliancePath, below: String = "", scheme: String = TokenType.bearer.rawValue,
                    work: Admission.Work = .begun, _ methods: [HTTPMethod: (operation: Operation, handle: Route.Handle)]
                ) -> Route {
                    let bare = path.rawValue + below
                    return Route(
                        path: base + bare, name: bare, .device(scheme: scheme), work: work, isDocumented: !base.isEmpty,
                        methods)
                }
                return [
                    route(.enroll, scheme: "Ticket", [.post: (.enrollDevice, enroll)]),
                    route(.enroll, below: "/code", scheme: "Ticket", [.post: (.enrollmentCode, enrollmentCode)]),
                    route(
                        .deviceAccounts, below: "/{id}/tickets", work: .new, [.post: (.newPhoneTicket, newPhoneTicket)]),
                    route(
                        .deviceAccounts, below: "/{id}/farewell", scheme: "Farewell", [.post: (.farewell, farewell)]),
                    route(.resolveTransaction, [.post: (.resolveTransaction, resolve)]),
                    route(.notifications, [.get: (.notifications, notifications)]),
                    route(.deviceAccounts, below: "/{id}/receipts/{request}", [.get: (.deviceReceipt, receipt)]),
                    route(.deviceAccounts, below: "/{id}/pending", [.get: (.pendingRequests, pending)]),
                    route(.deviceAccounts, below: "/{id}/requests", [.get: (.decidedRequests, requests)]),
                    route(.deviceAccounts, below: "/{id}/devices", [.get: (.deviceList, devices)]),
                    route(
                        .deviceAccounts, below: "/{id}/preferences",
                        [.get: (.preferences, preferences), .put: (.replacePreferences, replacePreferences)]),
                    route(
                        .deviceAccounts, below: "/{id}/passkey",
                        [.get: (.passkeyOptions, passkeyOptions), .put: (.registerPasskey, registerPasskey)]),
                    route(
                        .deviceAccounts, below: "/{id}",
                        [.patch: (.updateDevice, update), .delete: (.removeDevice, remove)]),
                ]
            }
    }

    @Sendable func enroll(_ call: EndpointCall) async throws -> Response {
        if let code = call.request.fields["Authorization"].flatMap(EnrollmentCodeAuthorization.init(parsing:)) {
            let request = try parsed(call, EnrollmentRequest.init(parsing:))
            let response = try await flows.devices.enroll.enroll(
                request, code: code, of: flows.devices.codes, context: call.context)
            return .json(response.json)
        }
        let ticket = try ticket(call)
        let request = try parsed(call, EnrollmentRequest.init(parsing:))
        let response = try await flows.devices.enroll.enroll(request, ticket: ticket, context: call.context)
        return .json(response.json)
    }

    func ticket(_ call: EndpointCall) throws(DeviceFailure) -> EnrollmentTicketAuthorization {
        guard let header = call.request.fields["Authorization"],
            let ticket = EnrollmentTicketAuthorization(parsing: header)
        else { throw DeviceFailure(.invalidToken, "Send the enrolment ticket as Authorization: Ticket id=\"…\"") }
        return ticket
    }

    @Sendable func resolve(_ call: EndpointCall) async throws -> Response {
        let token = try bearer(call)
        let body = try parsed(call, ResolveTransactionRequest.init(parsing:))
        try await flows.backchannel.resolve.resolve(transactionToken: token, body: body, context: call.context)
        return Response(status: 204, fields: ["Cache-Control": "no-store"])
    }

    @Sendable func consent(_ call: EndpointCall) async throws -> Response {
        guard let token = call.request.authorization(scheme: DPoPProof.scheme) else {
            throw DeviceFailure(.invalidToken, "Send the transaction token as Authorization: \(DPoPProof.scheme) …")
        }
        let proofs = call.request.fields.values(of: DPoPProof.scheme)
        guard proofs.count == 1 else {
            throw DeviceFailure(.invalidProof, "Send exactly one \(DPoPProof.scheme) proof header")
        }
        let record = try await flows.backchannel.consent.fetch(
            ConsentID(call.parameter("id")), transactionToken: token, proof: proofs[0], context: call.context)
        return .json(record.json)
    }

    @Sendable func receipt(_ call: EndpointCall) async throws -> Response {
        let device = try await owner(call)
        return .receipt(
            try await flows.backchannel.receipts.issue(
                ConsentID(call.parameter("request")), to: .user(device.device.user), call.context))
    }

    @Sendable func update(_ call: EndpointCall) async throws -> Response {
        let device = try await named(call)
        let update = try parsed(call, DeviceAccountUpdate.init(parsing:))
        let changed = try await flows.devices.manage.update(device, with: update, context: call.context)
        let answer = DeviceAccountUpdate(
            id: changed.id.rawValue, identifier: changed.identifier, name: changed.name,
            push: changed.push.map { .register($0) })
        return .json(answer.json)
    }

    @Sendable func remove(_ call: EndpointCall) async throws -> Response {
        let device = try await named(call)
        try await flows.devices.manage.remove(device, context: call.context)
        flows.channel.end(for: device.device.id)
        return Response(status: 204, fields: ["Cache-Control": "no-store"])
    }

    /// Sends events (HTML Standard 9.2): first the pending requests with the notifications after `Last-Event-ID`, then
    /// live events.
    @Sendable func notifications(_ call: EndpointCall) async throws -> Response {
        let authenticated = try await authenticated(call, at: .notifications, as: nil)
        let device = authenticated.device
        let last = call.request.fields["Last-Event-ID"].flatMap { Int64($0) } ?? 0
        let after = try await flows.backchannel.pending.resumption(after: last)
        // Subscribes before it reads the store, so that no event is lost between.
        let live = flows.channel.events(for: device.id)
        let pending = try await flows.backchannel.pending.events(
            for: device, after: after, withRecords: authenticated.provedKey && asksForRecords(call),
            context: call.context)
        let stream = DeviceEventStream(pending: pending, live: live, after: after, timer: timer) { [flows] in
            try await flows.devices.authenticator.isAdmitted(authenticated)
        }
        return Response(
            status: 200,
            fields: ["Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"],
            body: .stream(stream.bytes))
    }

    /// True for `?records=true`.
    func asksForRecords(_ call: EndpointCall) -> Bool {
        (try? FormFields(parsing: Array((call.request.query ?? "").utf8)))?["records"] == "true"
    }

    func parsed<Message>(
        _ call: EndpointCall, _ parse: ([UInt8]) throws(GuardianWireFailure) -> Message
    ) throws(DeviceFailure) -> Message {
        guard call.request.fields.mediaType == "application/json" else {
            throw DeviceFailure(.invalidBody, "Send the body as application/json")
        }
        do { return try parse(call.request.body) } catch {
            throw .invalidBody("\(error)")
        }
    }

    private func bearer(_ call: EndpointCall) throws(DeviceFailure) -> String {
        guard let token = call.request.authorization() else {
            throw DeviceFailure(.invalidToken, "Send the token as Authorization: Bearer …")
        }
        return token
    }

    /// The device that the path names.
    func named(_ call: EndpointCall) async throws -> AuthenticatedDevice {
        try await authenticated(call, at: .deviceAccounts, as: DeviceID(call.parameter("id")))
    }

    private func authenticated(
        _ call: EndpointCall, at path: AppliancePath, as id: DeviceID?
    ) async throws -> AuthenticatedDevice {
        try await flows.devices.authenticator.authenticate(
            bearer: try bearer(call), as: id, at: path, context: call.context)
    }
}
