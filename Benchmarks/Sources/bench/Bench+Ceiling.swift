import Workbench
import HTTPModel
import Load
import MicroHTTPServer

extension Bench {
    /// Rate of the HTTP layer alone, with the same request and a constant answer, without the work of a poll.
    mutating func measureCeiling(_ nginx: Nginx) async throws {
        progress("the HTTP layer alone")
        let answer = Response(
            status: 400, fields: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: .bytes(Array(Nginx.pendingAnswer.utf8)))
        let server = try HTTPServer(
            configuration: HTTPServerConfiguration(), answerSynchronously: { _ in answer }, handler: { _ in answer })
        try server.start()
        let request = BenchmarkFixture.agent(host: "bench.localhost").poll(
            [UInt8](repeating: 0x41, count: identifierSize))
        let (reference, value): (Double, Double)
        do {
            (reference, value) = try taking(turns: rounds, reference: { try nginxRate(nginx) }) {
                let measurement = try load(server.port).run { _ in RepeatScenario(request, expecting: 400) }
                try check(measurement, "the HTTP layer")
                return measurement.rate
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
        rows.append(
            Row(
                name: "the HTTP layer alone, same request and answer", value: value, unit: "1/s", reference: reference,
                referenceName: "nginx 400 JSON",
                note: "no server's work in it: what no row of requests this small can pass"))
    }
}
