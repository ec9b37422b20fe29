import Foundation
@testable import Guardian
import GuardianWire
import HTTPModel
import Primitives
import Synchronization
import Testing

@Suite("Errors")
struct ErrorTests {
    func request(_ step: ScriptedTransport.Step) throws -> Guardian.Request<UpdatedDevice> {
        Guardian.api(forDomain: "h.example", configuration: Fixtures.configuration(ScriptedTransport([step])))
            .device(forEnrollmentId: "dev_1", userId: "u", signingKey: try P256PrivateKey.new())
            .update(name: "N")
    }

    @Test("An answer with an errorCode becomes a GuardianError with all members")
    func guardianError() async throws {
        let body =
            #"{"statusCode":404,"error":"Not Found","message":"No such enrolment","errorCode":"enrollment_not_found","field":"id"}"#
        let error = await #expect(throws: GuardianError.self) { try await request(.answer(404, body)).start() }
        #expect(error?.code == "enrollment_not_found")
        #expect(error?.description == "No such enrolment")
        #expect(error?.statusCode == 404)
        #expect(error?.info["field"]?.stringValue == "id")
    }

    @Test(
        "Without an errorCode the status determines the error",
        arguments: [
            (400, NetworkError.Code.badRequest), (401, .notAuthorized), (403, .notAuthorized), (404, .notFound),
            (429, .rateLimited), (500, .serverError), (503, .serverError), (302, .failedResponse),
        ])
    func statuses(status: Int, code: NetworkError.Code) async throws {
        let error = await #expect(throws: NetworkError.self) {
            try await request(.answer(status, "out of order", type: "text/plain; charset=utf-8")).start()
        }
        #expect(error?.code == code)
        #expect(error?.statusCode == status)
        #expect(error?.description == "out of order")
    }

    @Test("An answer that is not the expected JSON is an invalid response")
    func invalidResponses() async throws {
        for (step, code): (ScriptedTransport.Step, NetworkError.Code) in [
            (.answer(200, "<html>", type: "text/html"), .invalidResponse), (.answer(200, "{"), .invalidResponse),
            (.answer(200, #"{"name":7}"#), .invalidResponse), (.answer(200, ""), .missingResponse),
        ] {
            let error = await #expect(throws: NetworkError.self) { try await request(step).start() }
            #expect(error?.code == code)
        }
    }

    @Test("Without a connection, the description is the transport's")
    func network() async throws {
        let error = await #expect(throws: NetworkError.self) {
            try await request(.fail(.cannotConnect("h.example refused the connection"))).start()
        }
        #expect(error?.code == .failedRequest)
        #expect(error?.description == "h.example refused the connection")
    }

    @Test("Cancelling the task ends the call with CancellationError")
    func cancellation() async throws {
        let request = try request(.hang)
        let task = Task { try await request.start() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }

        let result = await withCheckedContinuation { continuation in
            let task = request.withTransport(ScriptedTransport([.hang])).start { continuation.resume(returning: $0) }
            task.cancel()
        }
        #expect(throws: CancellationError.self) { try result.get() }
    }

    @Test("Hooks receive request, answer and error; the app may supply its own error")
    func hooks() async throws {
        struct Own: Error {}
        let seen = Mutex<[String]>([])
        @Sendable func note(_ text: String) { seen.withLock { $0.append(text) } }
        let request = try request(.answer(429, "{}"))
            .on(request: { note("\($0.method) \($0.url)") })
            .on(response: { note("\($0.statusCode)") }, error: { note("\(type(of: $0))") })
            .mapError { $0.statusCode == 429 ? Own() : nil }
        await #expect(throws: Own.self) { try await request.start() }
        #expect(
            seen.withLock { $0 } == ["PATCH https://h.example/appliance-mfa/api/device-accounts/dev_1", "429", "Own"])
    }

    @Test("Rate limits are read if all three fields are numbers")
    func rateLimit() {
        let fields: HTTPFields = [
            "X-RateLimit-Limit": "10", "x-ratelimit-remaining": "3", "X-RateLimit-Reset": "1795168800",
        ]
        #expect(RateLimit(fields)?.resetAt == Date(Fixtures.now))
        #expect(RateLimit(fields)?.remaining == 3)
        #expect(RateLimit(["X-RateLimit-Limit": "10"]) == nil)
    }
}
