/// Forms of a text by which two ways of writing it compare equal.
extension String {
    /// Normalization Form C (Unicode Standard Annex #15): letters composed with their marks.
    ///
    /// The standard library computes this form when it compares texts. The function is underscored there, but part of its
    /// stable interface.
    package var composed: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : String(decoding: _nfcCodeUnits, as: UTF8.self)
    }

    /// The text in lower case. Nil if a letter beyond ASCII would become an ASCII one, as the Kelvin sign (U+212A)
    /// becomes a `k`: two names of different people would be one.
    package var folded: String? {
        let isFit = unicodeScalars.allSatisfy { scalar in
            scalar.isASCII || !scalar.properties.lowercaseMapping.unicodeScalars.contains(where: \.isASCII)
        }
        return isFit ? lowercased() : nil
    }
}
