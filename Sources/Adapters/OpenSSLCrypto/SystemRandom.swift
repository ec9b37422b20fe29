import COpenSSL
import Primitives

/// The process's cryptographically secure generator: OpenSSL's, seeded by the kernel and again in a forked child.
package struct SystemRandom: RandomSource {
    package init() {}

    package func bytes(_ count: Int) -> [UInt8] {
        precondition(count >= 0 && count <= Int(Int32.max), "a number of bytes that no caller needs")
        return [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            filled = count
            if RAND_bytes(output.baseAddress, Int32(count)) == 1 { return }
            // OpenSSL could not seed itself. The kernel's generator does as well, and stops the process where it too
            // has nothing: never a weak byte.
            ERR_clear_error()
            var generator = SystemRandomNumberGenerator()
            for index in 0..<count { output[index] = generator.next() }
        }
    }
}
