import Load

CleanUp.onSignals()
let folder = try makeTemporaryFolder()
let nginx = try Nginx.start(folder: folder)
var ids: [UInt8] = []
for i in 0..<1000 { let s = String(i); ids += Array(String(repeating: "x", count: 64 - s.utf8.count).utf8) + Array(s.utf8) }
let request = HTTPRequest.post("/oauth/token", host: "localhost", body: "grant_type=urn%3Aopenid%3Aparams%3Agrant-type%3Aciba&client_id=agent&client_secret=0123456789012345678901234567890123456789012&auth_req_id=" + String(repeating: "A", count: 64))
if CommandLine.arguments.count > 1 {
    try writeFile("/tmp/bench-wrk.lua", "wrk.method='POST'\nwrk.headers['Content-Type']='application/x-www-form-urlencoded'\nwrk.body='" + "grant_type=urn%3Aopenid%3Aparams%3Agrant-type%3Aciba&client_id=agent&client_secret=0123456789012345678901234567890123456789012&auth_req_id=" + String(repeating: "A", count: 64) + "'\n")
}
for c in [16, 32, 64, 128] {
for _ in 0..<4 {
let m = try Load(port: nginx.port, threads: 2, connections: c, warmUp: .milliseconds(300), duration: .seconds(2)).run { [ids] _ in PollScenario(request: request, identifiers: ids) }
print(c, "own", Int(m.rate), m.tally, m.reopened, m.latencies.percentile(0.5) / 1e6, m.latencies.percentile(0.99) / 1e6, m.classes)
print(try Child.output(["wrk", "-t2", "-c\(c)", "-d2s", "-s", "/tmp/bench-wrk.lua", "http://127.0.0.1:\(nginx.port)/oauth/token"], folder: folder, within: .seconds(10)).split(separator: "\n").filter { $0.contains("Requests/sec") || $0.contains("Non") })
}
}
CleanUp.run()
