import Workbench

/// Rates of a core by `openssl speed`.
struct OpenSSLSpeed {
    /// Operations per second of all cores that were measured at once.
    struct Pair {
        var sign: Double
        var verify: Double
    }

    let rsa2048: Pair
    let ecdsap256: Pair
    /// Agreements on a secret.
    let ecdhp256: Double

    static func measure(folder: String, seconds: Int, cores: Int = 1) throws -> OpenSSLSpeed {
        let several = cores > 1 ? ["-multi", String(cores)] : []
        let text = try Child.output(
            ["openssl", "speed", "-mr"] + several + ["-seconds", String(seconds), "rsa2048", "ecdsap256", "ecdhp256"],
            folder: folder, within: .seconds(seconds * 5 + 10))
        // +F2:INDEX:2048:SIGN:VERIFY for RSA, +F4:INDEX:256:SIGN:VERIFY for ECDSA, +F5:INDEX:256:RATE:TIME for ECDH
        func rates(_ prefix: String, _ bits: String) throws -> (Double, Double) {
            for line in text.split(separator: "\n") where line.hasPrefix("+\(prefix):") {
                let fields = line.split(separator: ":")
                if fields.count >= 5, fields[2] == bits, let first = Double(fields[3]), let second = Double(fields[4]) {
                    return (first, second)
                }
            }
            throw Failure("openssl speed printed no line \(prefix) for \(bits) bits: \(text.suffix(300))")
        }
        func pair(_ prefix: String, _ bits: String) throws -> Pair {
            let (sign, verify) = try rates(prefix, bits)
            return Pair(sign: sign, verify: verify)
        }
        return OpenSSLSpeed(
            rsa2048: try pair("F2", "2048"), ecdsap256: try pair("F4", "256"), ecdhp256: try rates("F5", "256").0)
    }
}
