import COpenSSL
import Primitives

/// OpenSSL's cryptographically secure generator, seeded by the kernel and reseeded in a forked child.
package struct SystemRandom: RandomSource {
    package init() {}

    package func bytes(_ count: Int) -> [UInt8] {
        precondition(count >= 0 && count <= Int(Int32.max), "a number of bytes that no caller needs")
        return [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            filled = count
            if RAND_bytes(output.baseAddress, Int32(count)) == 1 { return }
            // OpenSSL could not seed itself. The kernel's generator is as good, and stops the process if it fails too.
            ERR_clear_error()
            var generator = SystemRandomNumberGenerator()
            for index in 0..<count { output[index] = generator.next() }
        }
    }
}
