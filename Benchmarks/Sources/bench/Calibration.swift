import Workbench
import Load

/// Compares this generator with wrk by loading nginx with each in turn, since a reference is only as good as its
/// generator.
func calibrate(folder: String, rounds: Int) throws -> Row {
    guard Child.isInstalled("wrk") else { throw Failure("--calibrate needs wrk (Debian: wrk)") }
    let nginx = try Nginx.start(folder: folder)
    defer { nginx.stop() }
    let agent = BenchmarkFixture.agent(host: "bench.localhost")
    let request = agent.poll([UInt8](repeating: 0x41, count: identifierSize))
    let text = String(decoding: request, as: UTF8.self)
    let body = text[(text.firstRange(of: "\r\n\r\n")?.upperBound ?? text.endIndex)...]
    try writeFile(
        "\(folder)/wrk.lua",
        """
        wrk.method = 'POST'
        wrk.headers['Host'] = 'bench.localhost'
        wrk.headers['Content-Type'] = 'application/x-www-form-urlencoded'
        wrk.body = '\(body)'
        """)
    var own: [Double] = []
    var wrk: [Double] = []
    for _ in 0..<rounds {
        let load = Load(
            port: nginx.port, threads: 2, connections: 64, warmUp: .milliseconds(200), duration: .seconds(1))
        own.append(try load.run { _ in RepeatScenario(request, expecting: 400) }.rate)
        let output = try Child.output(
            ["wrk", "-t2", "-c64", "-d1s", "-s", "\(folder)/wrk.lua", "http://127.0.0.1:\(nginx.port)/oauth/token"],
            folder: folder, within: .seconds(10))
        guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("Requests/sec:") }),
            let rate = line.split(separator: " ").last.flatMap({ Double($0) })
        else { throw Failure("wrk printed no rate: \(output)") }
        wrk.append(rate)
    }
    return Row(
        name: "this generator on nginx", value: median(own), unit: "1/s", reference: median(wrk), referenceName: "wrk",
        goal: .ratioAtLeast(0.85))
}
