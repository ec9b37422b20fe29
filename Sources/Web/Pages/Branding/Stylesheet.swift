/// The part of the stylesheet that all tenants share. ``Palette`` sets custom properties for the tenant's colour before
/// it.
///
/// Text has a contrast of at least 4.5 and borders of fields at least 3 (WCAG 2.2, 1.4.3 and 1.4.11). Controls are at
/// least 44 pixels high (2.5.5). Nothing is wider than a screen of 320 pixels (1.4.10).
enum Stylesheet {
    static let text = """
        :root {
            color-scheme: light dark;
            --text: #1a1e26;
            --quiet: #565d6b;
            --line: #dfe2e8;
            --field: #fff;
            --edge: #7c8494;
            --soft: #f4f5f7;
            --hover: #eceef2;
            --wrong: #b3202c;
            --wrong-soft: #fdf0f0;
            --shadow: 0 1px 2px rgb(16 19 24 / 6%), 0 12px 32px rgb(16 19 24 / 8%);
        }
        @media (prefers-color-scheme: dark) {
            :root {
                --text: #eceff4;
                --quiet: #a7afbe;
                --line: #343a46;
                --field: #12151b;
                --edge: #7d8698;
                --soft: #232833;
                --hover: #2b313d;
                --wrong: #ff9a9e;
                --wrong-soft: #33191d;
                --shadow: none;
            }
        }
        *, ::before, ::after { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body {
            margin: 0;
            min-height: 100vh;
            min-height: 100dvh;
            display: grid;
            grid-template: auto 1fr auto / minmax(0, 27rem);
            justify-content: center;
            padding: 2.5rem 1.25rem 1.5rem;
            background: var(--page);
            color: var(--text);
            font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
            overflow-wrap: anywhere;
        }
        header {
            display: flex;
            flex-wrap: wrap;
            align-items: center;
            justify-content: center;
            gap: 0.5rem 0.75rem;
            margin-bottom: 1.5rem;
            text-align: center;
        }
        .logo { display: block; max-width: 14rem; max-height: 3.5rem; }
        .tenant { font-size: 1.125rem; font-weight: 650; letter-spacing: -0.01em; }
        .tenant:first-child::before {
            content: "";
            display: inline-block;
            width: 0.75rem;
            height: 0.75rem;
            margin-right: 0.6rem;
            border-radius: 0.25rem;
            background: var(--link);
        }
        main {
            align-self: start;
            padding: 2rem;
            border: 1px solid var(--line);
            border-radius: 1rem;
            background: var(--card);
            box-shadow: var(--shadow);
        }
        main > :last-child, form > :last-child { margin-bottom: 0; }
        h1, h2, p, ul, ol, dl { margin: 0 0 1rem; }
        h1 { font-size: 1.625rem; line-height: 1.25; letter-spacing: -0.02em; }
        h1 + .lead { margin-top: -0.5rem; }
        h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
        .lead, .hint { color: var(--quiet); }
        .lead { margin-bottom: 1.5rem; }
        .lead strong { color: var(--text); }
        .hint { font-size: 0.875rem; }
        form + .hint, .aside + .hint { margin-top: 1.25rem; }
        form ~ .hint { margin-bottom: 0.5rem; text-align: center; }
        a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
        a:hover { text-decoration-thickness: 2px; }
        :focus-visible, main:focus-visible, .problems:focus {
            outline: 3px solid var(--text);
            outline-offset: 2px;
        }
        main:focus { outline: none; }
        .skip { position: absolute; left: -100vw; top: 0.75rem; z-index: 1; }
        .skip:focus {
            left: 0.75rem;
            padding: 0.625rem 1rem;
            border-radius: 0.5rem;
            background: var(--card);
            color: var(--text);
        }

        .field { margin-bottom: 1.25rem; }
        label { display: block; margin-bottom: 0.375rem; font-weight: 600; }
        .field .hint, .field .problem { margin: -0.125rem 0 0.5rem; }
        input {
            display: block;
            width: 100%;
            min-height: 3rem;
            padding: 0.625rem 0.875rem;
            border: 1px solid var(--edge);
            border-radius: 0.625rem;
            background: var(--field);
            color: var(--text);
            font: inherit;
        }
        input[type="hidden"], input[hidden] { display: none; }
        input:focus { border-color: var(--text); outline: 2px solid var(--text); outline-offset: 0; }
        .wrong input { border-color: var(--wrong); box-shadow: inset 0 0 0 1px var(--wrong); }
        .problem { color: var(--wrong); font-size: 0.875rem; font-weight: 600; }
        .pick strong { display: block; font-size: 3.5rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
        .digits { font-size: 1.5rem; letter-spacing: 0.35em; font-variant-numeric: tabular-nums; }
        .problems {
            margin-bottom: 1.5rem;
            padding: 1rem 1.125rem;
            border-left: 4px solid var(--wrong);
            border-radius: 0.5rem;
            background: var(--wrong-soft);
        }
        .problems p { margin-bottom: 0.25rem; color: var(--wrong); }
        .problems ul { margin: 0; padding: 0; list-style: none; }
        .problems a { display: block; padding: 0.625rem 0; color: inherit; }

        .button, .account {
            display: block;
            width: 100%;
            min-height: 3rem;
            margin: 0 0 0.75rem;
            padding: 0.6875rem 1rem;
            border: 1px solid transparent;
            border-radius: 0.625rem;
            font: inherit;
            font-weight: 600;
            text-align: center;
            text-decoration: none;
            cursor: pointer;
            transition: box-shadow 0.15s, background-color 0.15s;
        }
        .primary { background: var(--accent); color: var(--on-accent); border-color: var(--link); }
        .primary:hover { box-shadow: 0 0 0 3px var(--card), 0 0 0 5px var(--link); }
        .secondary, .account { border-color: var(--edge); background: transparent; color: var(--text); }
        .secondary:hover, .account:hover { background: var(--hover); }
        form + form, form + .button { margin-top: 0.75rem; }
        .decision { display: grid; grid-template-columns: 1fr 1fr; gap: 0.75rem; margin-top: 1.75rem; }
        .decision .button { margin: 0; }
        .decision + details, .numbers + .button { margin-top: 0.75rem; }
        .numbers { display: grid; grid-template-columns: repeat(3, 1fr); gap: 0.75rem; margin-bottom: 0.75rem; }
        .numbers .button { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
        .sections li + li { margin-top: 0.25rem; }
        .detail-card h2 { margin: 0 0 0.25rem; }
        .detail-card .hint { margin-bottom: 0.25rem; }
        .detail-card form { margin-top: 0.75rem; }
        .detail-card .button { background: var(--card); }
        .detail-card .primary { background: var(--accent); }
        .codes { padding-left: 2rem; font-size: 1.125rem; }
        .codes li { padding: 0.125rem 0; }
        .asks { margin-bottom: 0.25rem; color: var(--quiet); }
        .headline { display: block; }
        h1 .headline { font-size: 1.75rem; line-height: 1.2; }
        h1 .several { display: block; color: var(--quiet); font-size: 1rem; font-weight: 400; letter-spacing: 0; }
        .outcome { font-size: 1.25rem; font-weight: 600; }
        .says { margin: 0 0 1.25rem; padding-left: 0.875rem; border-left: 3px solid var(--line); }
        .says figcaption { color: var(--quiet); font-size: 0.875rem; }
        .says blockquote { margin: 0; white-space: pre-wrap; quotes: auto; }
        .says blockquote::before { content: open-quote; }
        .says blockquote::after { content: close-quote; }
        .read { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; margin-top: 1.75rem; }
        .read input { flex: none; width: 1.5rem; min-height: 1.5rem; }
        .read label { flex: 1; margin: 0; padding: 0.625rem 0; font-weight: 400; }
        .read .problem { flex-basis: 100%; margin: 0; }
        .unread p { margin: 1.25rem 0 0.5rem; }
        .read[hidden], .unread[hidden], .until[hidden] { display: none; }
        .until { display: block; }
        .button:disabled { opacity: 0.55; cursor: default; box-shadow: none; }
        .choices { margin: 0; padding: 0; list-style: none; }
        .or { display: flex; align-items: center; gap: 1rem; margin: 1.25rem 0; color: var(--quiet); }
        .or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
        .aside { margin: 1rem 0 0; text-align: center; }
        .aside a { display: inline-block; padding: 0.625rem 0.25rem; }
        .who { margin: 1rem 0 0; color: var(--quiet); font-size: 0.875rem; text-align: center; }
        .who button {
            padding: 0.625rem 0.25rem;
            border: 0;
            background: none;
            color: var(--link);
            font: inherit;
            text-decoration: underline 1px;
            text-underline-offset: 0.2em;
            cursor: pointer;
        }
        .who button:hover { text-decoration-thickness: 2px; }
        form .aside { margin: -1rem 0 0.5rem; text-align: end; }

        .account { display: flex; align-items: center; gap: 0.875rem; font-weight: 400; text-align: start; }
        .account strong { display: block; }
        .detail { display: block; color: var(--quiet); font-size: 0.875rem; }
        .initial {
            flex: none;
            width: 2.75rem;
            height: 2.75rem;
            border-radius: 50%;
            background: var(--accent);
            color: var(--on-accent);
            font-size: 1.25rem;
            font-weight: 600;
            line-height: 2.75rem;
            text-align: center;
        }

        .scopes { padding: 0; list-style: none; }
        .scopes li { position: relative; padding: 0.375rem 0 0.375rem 2rem; }
        .scopes li::before {
            content: "";
            position: absolute;
            left: 0.375rem;
            top: 0.7rem;
            width: 0.8rem;
            height: 0.45rem;
            border: solid var(--link);
            border-width: 0 0 2px 2px;
            transform: rotate(-45deg);
        }
        .detail-card, .notice {
            margin-bottom: 1rem;
            padding: 1rem 1.125rem;
            border-radius: 0.75rem;
            background: var(--soft);
        }
        .detail-card bdi { white-space: pre-wrap; }
        .detail-card > p { margin-bottom: 0.5rem; }
        .detail-card > :last-child { margin-bottom: 0; }
        /* Marks of one row must not be drawn over another. */
        dt, dd, .says, h1, .scopes li { overflow: clip; overflow-clip-margin: 0.2em; }
        dl { display: grid; grid-template-columns: minmax(5rem, 2fr) 3fr; gap: 0.375rem 1rem; }
        .group { grid-column: 1 / -1; }
        dl dl { margin: 0; padding-left: 0.75rem; border-left: 2px solid var(--line); }
        dl dl dl dl dl { padding-left: 0.25rem; }
        dt { color: var(--quiet); font-size: 0.9375rem; }
        dd { margin: 0; }
        dd ol { margin: 0; padding-left: 1.75rem; border-left: 2px solid var(--line); }
        dd ol li { margin-bottom: 0.375rem; }
        .facts { margin-top: 1.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); font-size: 0.875rem; }

        .sign {
            position: relative;
            width: 3.5rem;
            height: 3.5rem;
            margin-bottom: 1.25rem;
            border-radius: 1rem;
            background: var(--soft);
        }
        .sign::before, .sign::after {
            content: "";
            position: absolute;
            inset: 0;
            margin: auto;
            border: 2px solid var(--link);
        }
        .phone::before { width: 1.125rem; height: 1.875rem; border-radius: 0.3rem; }
        .phone::after { width: 0.375rem; height: 0; top: 1.25rem; border-width: 2px 0 0; }
        .envelope { overflow: hidden; }
        .envelope::before { width: 1.875rem; height: 1.375rem; border-radius: 0.25rem; }
        .envelope::after {
            width: 0.9375rem;
            height: 0.9375rem;
            top: -0.4375rem;
            border-width: 0 2px 2px 0;
            transform: rotate(45deg);
        }
        .done::before {
            width: 1.375rem;
            height: 0.75rem;
            top: -0.375rem;
            border-width: 0 0 2px 2px;
            transform: rotate(-45deg);
        }
        .done::after { content: none; }

        .steps { padding-left: 1.5rem; }
        .steps li { padding-left: 0.25rem; }
        .stores { padding-left: 0; list-style: none; }
        .stores a { display: inline-block; padding: 0.625rem 0.25rem; }
        .app { display: flex; align-items: center; gap: 0.75rem; font-size: 1.125rem; }
        .icon {
            flex: none;
            padding: 0.25rem;
            border: 1px solid var(--line);
            border-radius: 0.625rem;
            background: #f4f5f7;
            object-fit: contain;
        }
        .groups > span { display: inline-block; margin-right: 0.75em; font-size: 1.125em; }
        .code { display: flex; justify-content: center; }
        .code > * {
            display: block;
            max-width: 100%;
            height: auto;
            border: 1px solid var(--line);
            border-radius: 0.75rem;
            background: #fff;
        }
        details { margin: 0.75rem 0 1.25rem; border: 1px solid var(--line); border-radius: 0.625rem; }
        summary { padding: 0.625rem 1rem; min-height: 2.75rem; cursor: pointer; border-radius: 0.625rem; }
        details > p, details > ol { margin: 0 1rem 0.75rem; }
        .elsewhere { display: none; }
        details > .way { margin: 0 1rem 0.75rem; }
        details > form { padding: 0.25rem 1rem; }
        details:not([open]) > :not(summary) { display: none; }
        code { font: 0.875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
        details code { user-select: all; }

        footer { margin-top: 2rem; color: var(--quiet); font-size: 0.875rem; text-align: center; }
        footer p { margin: 0; }
        footer ul {
            display: flex;
            flex-wrap: wrap;
            justify-content: center;
            gap: 0 1rem;
            margin: 0;
            padding: 0;
            list-style: none;
        }
        footer a { display: inline-block; min-width: 2.75rem; padding: 0.75rem 0.25rem; color: inherit; }

        @media (prefers-color-scheme: dark) {
            .logo { padding: 0.5rem 0.75rem; border-radius: 0.5rem; background: #fff; }
        }
        @media (max-width: 30rem) {
            body { padding: 1.5rem 0.75rem 1rem; }
            main { padding: 1.5rem 1.25rem; }
            dl { display: block; }
            dl dd { margin-bottom: 0.5rem; }
        }
        /* A phone cannot point its camera at itself. */
        @media (pointer: coarse) and (max-width: 30rem) {
            .way { display: flex; flex-direction: column; }
            .way > .app, .way > .steps { order: -2; }
            .way > .aside { order: -1; margin: 0 0 1.25rem; }
            .way > .aside a {
                display: block;
                min-height: 3rem;
                margin-top: 0.5rem;
                padding: 0.6875rem 1rem;
                border: 1px solid var(--link);
                border-radius: 0.625rem;
                background: var(--accent);
                color: var(--on-accent);
                font-weight: 600;
                text-decoration: none;
            }
            .way > .elsewhere { display: block; }
            .way > .camera, .steps > .camera { display: none; }
        }
        @media (prefers-reduced-motion: reduce) {
            *, ::before, ::after { transition: none; }
        }
        @media (forced-colors: active) {
            .button, .account { border-color: ButtonText; }
        }

        """
}
