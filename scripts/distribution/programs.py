"""Programs without debug information, and what is made of their output: man pages and completions."""

import hashlib
import re
import shutil
import subprocess

from .common import PROGRAMS, run, write

COMPLETIONS = {
    "bash": "bash-completion/completions/{}", "zsh": "zsh/vendor-completions/_{}",
    "fish": "fish/vendor_completions.d/{}.fish"}


def strip(built, folder, symbols, release):
    """Copies the built programs, names the commit in them, and moves their debug information to `symbols`."""
    folder.mkdir(parents=True)
    symbols.mkdir(parents=True)
    stamp = folder.parent / "revision"
    write(stamp, release.revision.encode().ljust(64, b"\0"))
    for name in PROGRAMS:
        program, debug = folder / name, symbols / f"{name}.debug"
        shutil.copyfile(built / name, program)
        program.chmod(0o755)
        run("objcopy", "--update-section", f".countersign.revision={stamp}", str(program))
        forget_folder(program, folder.parent / "section")
        run("objcopy", "--only-keep-debug", "--compress-debug-sections", str(program), str(debug))
        run("strip", "--strip-unneeded", "--remove-section=.comment", str(program))
        # No package brings libraries of its own.
        run("chrpath", "--delete", str(program))
        # The link has the symbols' check sum, so that a debugger refuses those of another build.
        run("objcopy", f"--add-gnu-debuglink={debug}", str(program))
        text = run(str(program), "--version")
        if text != f"{name} {release.version} ({release.revision})":
            raise SystemExit(f"error: {name} --version says {text}")
    stamp.unlink()


def forget_folder(program, temporary):
    """Empties the hashes of the compiler's command lines, which name the build's folder, and makes a build id without them."""
    def replace(section, change):
        run("objcopy", "-O", "binary", f"--only-section={section}", str(program), str(temporary))
        write(temporary, change(temporary.read_bytes()))
        run("objcopy", "--update-section", f"{section}={temporary}", str(program))

    identity = ".note.gnu.build-id"
    replace(".swift_modhash", lambda content: bytes(len(content)))
    # The id is the last 20 bytes of its section.
    replace(identity, lambda content: content[:-20] + bytes(20))
    hash = hashlib.sha1(program.read_bytes()).digest()
    replace(identity, lambda content: content[:-20] + hash)
    temporary.unlink()


def completions(programs, share):
    for name in PROGRAMS:
        for shell, place in COMPLETIONS.items():
            write(share / place.format(name), run(str(programs / name), "completions", shell) + "\n")


def man_pages(programs, share, release):
    """A page for each program, with a section for each of its commands."""
    day = run("date", "--utc", f"--date=@{release.time}", "+%Y-%m-%d")
    for name in PROGRAMS:
        summary = [line for line in help_of(programs / name) if line][1]
        page = [
            f'.TH {name.upper()} 1 "{day}" "{name} {release.version}" "User Commands"',
            ".SH NAME", f"{name} \\- {roff(summary)}"]
        for path, lines in commands(programs / name, []):
            page.append(f".SH {' '.join(path).upper()}" if path else ".SH SYNOPSIS")
            page += [".nf"] + [roff(line) for line in lines] + [".fi"]
        write(share / f"man/man1/{name}.1", "\n".join(page) + "\n")


def commands(program, path):
    lines = help_of(program, *path)
    yield path, lines
    inside = False
    for line in lines:
        if not line.startswith(" "):
            inside = line == "Commands:"
        elif inside and (found := re.match(r"  ([a-z][a-z0-9-]*)", line)):
            yield from commands(program, path + [found[1]])


def help_of(program, *path):
    result = subprocess.run(
        [program, *path, "--help"], check=True, stdout=subprocess.PIPE, text=True, env={"COLUMNS": "78"})
    return result.stdout.rstrip("\n").split("\n")


def roff(line):
    line = line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha")
    line = line.replace("~", "\\(ti").replace("`", "\\(ga")
    return "\\&" + line if line.startswith((".", "\\(aq")) else line
