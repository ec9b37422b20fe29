import Templates

extension String {
    /// `visible` text, apart from the text around it (UAX 9).
    var outside: String { "\u{2068}\(visible)\u{2069}" }
}
