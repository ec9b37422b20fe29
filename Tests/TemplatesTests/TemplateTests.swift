import Primitives
@testable import Templates
import Testing

@Suite("Templates of mails")
struct TemplateTests {
    private static let values: JSONObject = [
        "application": ["name": "Shop & <b>Co</b>", "clientID": "shop"],
        "user": ["name": "Ann O'Neil", "email": "ann@example.org", "nickname": ""],
        "url": "https://id.example/u/approve?id=cns_1&x=2", "binding_message": "Pay 12.50 to Bob",
        "scopes": ["one", "two", "three"], "count": 3, "isUrgent": false,
        "lines": [["name": "a", "price": 2], ["name": "b", "price": 10]],
    ]
    /// 2026-11-20T10:00:00Z, a Friday.
    private static let now = Timestamp(seconds: 1_795_168_800)

    private func rendered(_ source: String, as format: Template.Format = .html) throws -> String {
        try Template(parsing: source).rendered(with: Self.values, as: format, now: Self.now)
    }

    @Test(
        "Liquid's output, filters, conditions and loops",
        arguments: [
            ("{{ user.email }}", "ann@example.org"), ("{{user['email']}}", "ann@example.org"),
            ("{{ scopes[0] }}{{ scopes[-1] }}{{ scopes.size }}{{ scopes.first }}", "onethree3one"),
            ("{{ missing.member.of }}|{{ missing | default: 'none' }}|{{ user.nickname | default: 'x' }}", "|none|x"),
            ("{{ 'a' | append: 'b' | prepend: 'c' | upcase }}", "CAB"), ("{{ 'aBC' | capitalize }}", "Abc"),
            ("{{ '  x ' | strip }}.", "x."), ("{{ 'a-b-c' | split: '-' | join: '+' }}", "a+b+c"),
            ("{{ 'a-b' | replace: '-', '--' | remove: 'a' }}", "--b"),
            ("{{ 'one two three' | truncate: 7 }}|{{ 'one two three' | truncatewords: 2 }}", "one ...|one two..."),
            ("{{ 'a b&c' | url_encode }}", "a%20b%26c"), ("{{ 'abc' | slice: 1, 5 }}{{ 'abc' | size }}", "bc3"),
            ("{{ 'now' | date: '%-d %B %Y, %H:%M %p %a %%' }}", "20 November 2026, 10:00 AM Fri %"),
            ("{{ '2026-01-05' | date: '%e/%b/%y' }}", " 5/Jan/26"), ("{{ 'no date' | date: '%Y' }}", "no date"),
            ("{{ count | plus: 2 | times: 2 | divided_by: 3 | modulo: 2 }}", "1"), ("{{ 7 | divided_by: 2.0 }}", "3.5"),
            ("{% if count > 2 and isUrgent %}a{% elsif count == 3 %}b{% else %}c{% endif %}", "b"),
            ("{% unless isUrgent %}calm{% else %}urgent{% endunless %}", "calm"),
            ("{% if scopes contains 'two' %}1{% endif %}{% if url contains 'approve' %}2{% endif %}", "12"),
            ("{% if user.nickname == blank and missing == nil and count != 4 %}yes{% endif %}", "yes"),
            ("{% if false and false or true %}1{% else %}2{% endif %}", "2"),
            ("{% case count %}{% when 1, 2 %}few{% when 3 or 4 %}some{% else %}many{% endcase %}", "some"),
            (
                "{% for s in scopes %}{{ forloop.index }}{{ s }}{% unless forloop.last %},{% endunless %}{% endfor %}",
                "1one,2two,3three"
            ),
            ("{% for s in scopes limit:1 offset:1 %}{{ s }}{% endfor %}", "two"),
            (
                "{% for s in scopes reversed %}{% if s == 'two' %}{% continue %}{% endif %}{{ s }} {% endfor %}",
                "three one "
            ),
            ("{% for i in (1..3) %}{{ i }}{% if i == 2 %}{% break %}{% endif %}{% endfor %}", "12"),
            ("{% for s in missing %}x{% else %}none{% endfor %}", "none"),
            ("{% for l in lines %}{{ l.name }}={{ l.price }};{% endfor %}", "a=2;b=10;"),
            (
                "{% assign n = user.name | downcase %}{% capture c %}<i>{{ n }}</i>{% endcapture %}{{ c }}",
                "<i>ann o&#39;neil</i>"
            ),
            ("{% raw %}{{ not }} {% this %}{% endraw %}{% comment %}{{ nor {% endcomment %}.", "{{ not }} {% this %}."),
            ("a {{- ' b ' -}} c", "a b c"), ("{%- if true -%} x {%- endif -%}", "x"),
        ])
    func renders(source: String, expected: String) throws {
        #expect(try rendered(source) == expected)
    }

    @Test("A value from outside is always escaped in HTML, once, whatever filters it passes")
    func escaping() throws {
        let name = "Shop &amp; &lt;b&gt;Co&lt;/b&gt;"
        #expect(try rendered("{{ application.name }}") == name)
        #expect(try rendered("{{ application.name | escape }}") == name)
        #expect(try rendered("{{ application.name | append: '<br>' }}") == name + "<br>")
        #expect(try rendered("<a href=\"{{ url }}\">") == "<a href=\"https://id.example/u/approve?id=cns_1&amp;x=2\">")
        for filter in [
            "upcase", "escape | url_decode", "url_encode | url_decode", "split: ' ' | join: ' '",
            "escape | replace: '&lt;', '<'",
            "slice: 0, 99", "strip_newlines", "default: 'x'", "newline_to_br", "escape | truncate: 99", "escape_once",
            "strip",
        ] {
            #expect(try !rendered("{{ application.name | \(filter) }}").contains("<b>"), "\(filter)")
        }
        #expect(try rendered("{% assign x = application.name %}{% for a in (1..1) %}{{ x }}{% endfor %}") == name)
        #expect(throws: TemplateFailure.self) { try Template(parsing: "{{ application.name | raw }}") }
    }

    @Test("Plain text gets values as they are")
    func plain() throws {
        #expect(
            try rendered("{{ application.name | escape }}: {{ user.name }}", as: .plain)
                == "Shop & <b>Co</b>: Ann O'Neil")
    }

    @Test(
        "A fault is named with its line and column",
        arguments: [
            ("a\nb {{ x | shout }}", 2, 10, "shout is not known"), ("{{ x", 1, 1, "{{ has no }}"),
            ("{% if x %}", 1, 4, "{% if %} has no {% endif %}"), ("é{% endif %}", 1, 5, "does not belong here"),
            ("{% if x == %}y{% endif %}", 1, 11, "a value is missing"),
            ("{% for x of y %}{% endfor %}", 1, 10, "in is missing"),
            ("{{ 'x }}", 1, 4, "closing quotation mark"), ("{{ x y }}", 1, 6, "nothing may follow"),
            ("{% include 'x' %}", 1, 4, "include is not known"), ("{{ x | replace: 'a' }}", 1, 8, "2 arguments, not 1"),
            ("{% break %}", 1, 4, "outside of a loop"), ("{{ x ; }}", 1, 6, "not understood"),
            ("{% if x %}{% else %}{% else %}{% endif %}", 1, 24, "does not belong here"),
            ("{% raw %}", 1, 1, "no {% endraw %}"), ("{{ }}", 1, 4, "a value is missing"),
        ])
    func faults(source: String, line: Int, column: Int, problem: String) throws {
        let failure = try #require(throws: TemplateFailure.self) { try Template(parsing: source) }
        #expect(failure.problem.contains(problem), "\(failure)")
        #expect([failure.line, failure.column] == [line, column], "\(failure)")
    }

    @Test(
        "A hostile template costs a bounded number of steps and bytes",
        arguments: [
            "{% for i in (1..1000000000) %}x{% endfor %}",
            "{% for i in (1..200) %}{% for j in (1..200) %}x{% endfor %}{% endfor %}",
            "{% assign s = 'xxxxxxxx' %}{% for i in (1..40) %}{% assign s = s | append: s %}{% endfor %}{{ s }}",
            "{% assign s = 'xxxxxxxx' %}{% for i in (1..9) %}{% assign s = s | replace: 'x', s %}{% endfor %}{{ s }}",
            "{% assign s = 'xxxxxxxxxxxxxxxx' %}{% for i in (1..40) %}{% assign s = s | split: '' | join: s %}{% endfor %}",
            Self.long + "{% for i in (1..9999) %}{% if s contains p %}{% endif %}{% endfor %}",
            Self.long + "{% for i in (1..9999) %}{% if s == t %}{% endif %}{% endfor %}",
            Self.long + "{% for i in (1..9999) %}{% assign x = s | remove: p %}{% endfor %}",
            Self.long + "{% for i in (1..9999) %}{% assign x = '' | append: s | size %}{% endfor %}",
            Self.long + "{% assign x = s | split: '' %}",
            "{% case 1 %}{% when 2" + repeated(",2", 30_000)
                + " %}{% endcase %}",
            "{% assign x = 'now' | date: '" + repeated("%F", 30_000) + "' %}",
            "{% capture s %}{% for i in (1..9000) %}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{% endfor %}{% endcapture %}",
        ])
    func limits(source: String) throws {
        let clock = ContinuousClock()
        let start = clock.now
        #expect(throws: TemplateFailure.self) { try rendered(source) }
        #expect(clock.now - start < .seconds(5))
    }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    /// Variables with many bytes, of which `p` is almost everywhere in `s`.
    private static let long =
        "{% assign s = '" + repeated("a", 20_000)
        + "' %}{% assign t = s | append: 'b' %}{% assign s = t | prepend: s %}"
        + "{% assign p = '" + repeated("a", 10_000) + "c' %}"

    @Test("All variables have one limit, whatever their number; a variable that is replaced counts no more")
    func variables() throws {
        let long = "{% assign s = '" + Self.repeated("a", 60_000) + "' %}"
        let many = (1...17).map { "{% assign v\($0) = s %}" }.joined()
        let failure = #expect(throws: TemplateFailure.self) { try rendered(long + many) }
        #expect(failure?.problem == "the variables have more than 1048576 bytes")
        #expect(try rendered(long + Self.repeated("{% assign v = s %}", 40) + "x") == "x")
    }

    @Test(
        "A template that opens without end is refused in linear time",
        arguments: ["{%", "{% ", "{%endraw", "{%- endraw -"])
    func openings(piece: String) {
        let clock = ContinuousClock()
        let start = clock.now
        let source = "{% raw %}" + Self.repeated(piece, 60_000 / piece.utf8.count) + "{% x %}"
        #expect(throws: TemplateFailure.self) { try Template(parsing: source) }
        #expect(clock.now - start < .seconds(5))
    }

    @Test(
        "Texts are found byte by byte",
        arguments: [
            ("aabaaab", "aaab", [3]), ("aaaa", "aa", [0, 2]), ("abcabcabd", "abcabd", [3]), ("abc", "", []),
            ("", "a", []),
            ("aab", "b", [2]), ("ab", "abc", []),
        ])
    func searches(text: String, part: String, offsets: [Int]) {
        #expect(ByteSearch(part).occurrences(in: text.utf8) == offsets)
        #expect(ByteSearch(part).isIn(text.utf8) == (part.isEmpty || !offsets.isEmpty))
    }

    @Test("Sources, blocks, brackets and conditions have a limit")
    func sourceLimits() throws {
        func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        for source in [
            repeated("x", Template.sourceLimit + 1), repeated("{% if a %}", 5000) + repeated("{% endif %}", 5000),
            "{{ a" + repeated("[a", 5000) + repeated("]", 5000) + " }}",
            "{% if a" + repeated(" and a", 5000) + " %}{% endif %}",
            repeated("{%", 30_000), repeated("{{", 30_000), repeated("{% raw %}", 7000),
        ] {
            #expect(throws: TemplateFailure.self) { try Template(parsing: source) }
        }
        _ = try Template(parsing: repeated("{% if a %}", 15) + repeated("{% endif %}", 15))
    }
}

@Suite("Text of HTML")
struct HTMLTextTests {
    @Test(
        "Blocks are lines, links have their address, and markup is gone",
        arguments: [
            ("<p>One &amp; two</p><p>Three<br>four</p>", "One & two\n\nThree\nfour"),
            ("<a href=\"https://x.example/?a=1&amp;b=2\">Open</a> it", "Open (https://x.example/?a=1&b=2) it"),
            ("<a class='b' href='https://x.example'>https://x.example</a>", "https://x.example"),
            ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"), ("<head><title>x</title></head>y<style>p{}</style>", "y"),
            ("<SCRIPT>alert('<p>')</SCRIPT>z<!-- <p> -->", "z"), ("a\n  b\t c", "a b c"),
            ("&#8364;&#x20AC;&euro;&nope;", "€€€&nope;"),
            ("<img alt=\"Logo\" src=x> <a>y</a>", "Logo y"), ("", ""), ("a < b", "a"), ("<p title=\">\">x", "x"),
        ])
    func texts(html: String, text: String) throws {
        #expect(try HTMLText.text(of: html) == text)
    }

    @Test(
        "Broken HTML of any size takes linear time",
        arguments: [
            "<", "<p", "<!--", "<script>", "&", "<a href='", "<a href=x>", "\n\n<p>", "<br> ", "🇩🇪<br>", "e\u{301}<td>",
            "<a href=a>a</a", "&#10;<p>",
        ])
    func broken(piece: String) throws {
        let clock = ContinuousClock()
        let start = clock.now
        let count = min(HTMLText.tagLimit, Template.outputLimit / piece.utf8.count)
        _ = try HTMLText.text(of: String(repeating: piece, count: count))
        let address = String(repeating: "a", count: 60_000)
        _ = try HTMLText.text(of: "<a href='\(address)b'>\(address)\(address)</a>")
        #expect(clock.now - start < .seconds(5))
    }

    @Test("HTML with too many tags or bytes is refused, with the place")
    func limits() {
        let tags = String(repeating: "\n\n<p>", count: 28_800)
        #expect(throws: TemplateFailure.self) { try HTMLText.text(of: tags) }
        let bytes = String(repeating: "x", count: Template.outputLimit + 1)
        #expect(throws: TemplateFailure.self) { try HTMLText.text(of: bytes) }
    }
}
