#if !canImport(CryptoKit)
    import HTTPModel
    import Localization
    import Primitives

    /// Answers requests to the loopback port: the redirect with a page that says the browser may be closed, all others
    /// with a refusal.
    struct LoopbackAnswerer: Sendable {
        let port: UInt16
        let path: String
        let state: String
        /// The person's languages in order of preference. The browser's languages follow them.
        let uiLocales: [String]

        struct Answer {
            let bytes: [UInt8]
            /// Path and query of the request, if it is the redirect.
            var target: String?
        }

        /// Nil means that the head is not complete yet.
        func answer(to head: [UInt8], limit: Int) -> Answer? {
            guard let end = Self.end(of: head) else { return head.count > limit ? page(431) : nil }
            guard end <= limit else { return page(431) }
            let lines = String(decoding: head[..<end], as: UTF8.self).split(separator: "\r\n")
            let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
            guard words.count == 3, words[1].hasPrefix("/"), words[2].hasPrefix("HTTP/1.") else { return page(400) }
            var fields = HTTPFields()
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { return page(400) }
                let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
                fields.append(String(line[..<colon]), String(value))
            }
            let language = Language.preferred(
                uiLocales: uiLocales.joined(separator: " "), acceptLanguage: fields["Accept-Language"])
            // An attacker's host name could resolve to this address and run the attacker's script (DNS rebinding).
            guard fields["Host"] == "127.0.0.1:\(port)" else { return page(421, language) }
            let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            guard target[0] == path else { return page(404, language) }
            guard words[0] == "GET" else { return page(405, language) }
            let query = try? FormFields(parsing: Array((target.count > 1 ? target[1] : "").utf8))
            guard let query, let given = query["state"], constantTimeEquals(Array(given.utf8), Array(state.utf8))
            else { return page(400, language) }
            var answer = page(200, language, succeeded: query["error"] == nil)
            answer.target = String(words[1])
            return answer
        }

        /// Index of the empty line that ends the head.
        private static func end(of head: [UInt8]) -> Int? {
            guard head.count >= 4 else { return nil }
            return (0...head.count - 4).first { head[$0..<$0 + 4].elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) }
        }

        private func page(_ status: Int, _ language: Language = .english, succeeded: Bool = false) -> Answer {
            let (title, text) = Self.texts(status, succeeded: succeeded, language.texts.loopback)
            let body = """
                <!DOCTYPE html>
                <html lang="\(language.rawValue)">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>\(title)</title>
                </head>
                <body>
                <main>
                <h1>\(title)</h1>
                <p>\(text)</p>
                </main>
                </body>
                </html>

                """
            let head = [
                "HTTP/1.1 \(status) \(status == 200 ? "OK" : "Refused")", "Content-Type: text/html; charset=utf-8",
                "Content-Length: \(body.utf8.count)", "Connection: close", "Cache-Control: no-store",
                "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'", "Referrer-Policy: no-referrer",
                "X-Content-Type-Options: nosniff", "", "",
            ]
            return Answer(bytes: Array((head.joined(separator: "\r\n") + body).utf8))
        }

        private static func texts(
            _ status: Int, succeeded: Bool, _ texts: Texts.Loopback
        ) -> (title: String, text: String) {
            switch status {
            case 200 where succeeded: (texts.succeeded, texts.succeededLead)
            case 200: (texts.failed, texts.failedLead)
            case 404: (texts.notFound, texts.notFoundLead)
            default: (texts.refused, texts.refusedLead)
            }
        }
    }
#endif
