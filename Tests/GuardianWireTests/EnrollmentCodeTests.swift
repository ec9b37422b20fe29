import GuardianWire
import Primitives
import TestSupport
import Testing

@Suite("Codes that stand for enrolment tickets")
struct EnrollmentCodeTests {
    @Test("A code is read as people type it, and shown in two groups without look-alikes")
    func typed() throws {
        for typed in ["0123-ABCD", "0123abcd", " o l 2 3 - a b c d ", "OI23ABCD", "oL23-abcd"] {
            let code = try #require(EnrollmentCode(parsing: typed), "\(typed)")
            #expect(code.text == "0123ABCD")
            #expect(code.shown == "0123-ABCD")
            #expect(code.place == "012")
        }
    }

    @Test(
        "Every other text is no code",
        arguments: [
            "", "0123-ABC", "0123-ABCDE", "0123-ABCU", "0123_ABCD", "0123-ÅBCD", String(repeating: " ", count: 33),
        ])
    func refused(text: String) {
        #expect(EnrollmentCode(parsing: text) == nil)
    }

    @Test("A new code has 40 random bits, and reads as itself")
    func random() throws {
        let random = SeededRandom()
        let codes = (0..<200).map { _ in EnrollmentCode(random) }
        #expect(Set(codes).count == 200)
        #expect(Set(codes.flatMap(\.text)).count == 32)
        for code in codes { #expect(EnrollmentCode(parsing: code.shown) == code) }
    }

    @Test("Its field has the scheme Code, and a farewell's the scheme Farewell")
    func fields() {
        #expect(EnrollmentCodeAuthorization(parsing: #"code id="0123-abcd""#)?.code.text == "0123ABCD")
        for text in [#"Ticket id="0123ABCD""#, #"Code id=0123ABCD"#, #"Code id="0123""#, "Code"] {
            #expect(EnrollmentCodeAuthorization(parsing: text) == nil)
        }
        #expect(FarewellAuthorization(parsing: #"Farewell id="abc""#)?.secret == "abc")
        for text in [#"Ticket id="abc""#, #"Farewell id="""#, "Farewell"] {
            #expect(FarewellAuthorization(parsing: text) == nil)
        }
    }
}
