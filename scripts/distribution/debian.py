"""The .deb, by dpkg-deb."""

import shutil

from .common import PROGRAMS, ROOT, compress, digest, run, settle, write

UNITS = ("countersign.service", "countersign-backup.service", "countersign-backup.timer",
         "countersign-doctor.service", "countersign-doctor.timer")
MAINTAINER = "Countersign maintainers <maintainers@countersign.example>"


def dependencies(folder):
    """Packages and their versions, as the programs' symbols need them."""
    write(folder / "debian/control", "Source: countersign\n\nPackage: countersign\nArchitecture: any\n")
    # It knows no package of a folder without DEBIAN, and says so.
    (folder / "deb/DEBIAN").mkdir(parents=True)
    line = run("dpkg-shlibdeps", "-O", *(f"-e{folder}/deb/usr/bin/{name}" for name in PROGRAMS), cwd=folder)
    shutil.rmtree(folder / "debian")
    return line.removeprefix("shlibs:Depends=")


def build(programs, share, folder, out, release):
    root = folder / "deb"
    shutil.copytree(programs, root / "usr/bin")
    shutil.copytree(share, root / "usr/share")
    for page in sorted((root / "usr/share/man").rglob("*.1")):
        write(page.with_name(page.name + ".gz"), compress(page.read_bytes(), 9))
        page.unlink()
    packaging = ROOT / "packaging"
    for name in UNITS:
        text = (packaging / name).read_text().replace("ExecStart=/usr/local/bin/", "ExecStart=/usr/bin/")
        write(root / "lib/systemd/system" / name, text)
    write(root / "usr/lib/sysusers.d/countersign.conf", (packaging / "countersign.sysusers").read_bytes())
    write(root / "usr/lib/tmpfiles.d/countersign.conf", (packaging / "countersign.tmpfiles").read_bytes())
    write(root / "etc/countersign/countersign.json", (packaging / "countersign.json").read_bytes())
    docs = root / "usr/share/doc/countersign"
    write(docs / "copyright", (packaging / "debian/copyright").read_bytes())
    day = run("date", "--utc", "--rfc-email", f"--date=@{release.time}")
    write(docs / "changelog.gz", compress((
        f"countersign ({release.version}) unstable; urgency=medium\n\n  * Release {release.version} of commit "
        f"{release.revision}.\n\n -- {MAINTAINER}  {day}\n").encode(), 9))
    write(docs / "NEWS.gz", compress((ROOT / "CHANGELOG.md").read_bytes(), 9))
    write(
        root / "usr/share/lintian/overrides/countersign", (packaging / "debian/lintian-overrides").read_bytes())

    depends = dependencies(folder)
    control = root / "DEBIAN"
    size = sum(-(-path.stat().st_size // 1024) for path in root.rglob("*") if path.is_file())
    write(control / "control", "\n".join([
        "Package: countersign", f"Version: {release.version}", f"Architecture: {release.architecture}",
        f"Maintainer: {MAINTAINER}", f"Installed-Size: {size}",
        f"Depends: {depends}, ca-certificates, init-system-helpers (>= 1.54), "
        "systemd | systemd-standalone-sysusers | systemd-sysusers, "
        "systemd | systemd-standalone-tmpfiles | systemd-tmpfiles",
        "Section: net", "Priority: optional", "Description: authorization server that asks people for approval",
        " An agent, a kiosk or a call centre asks for a user's approval, and the",
        " user's phone shows the request, and allows or rejects it with a key that",
        " never leaves the phone (CIBA). People log in to apps with it, too.",
        " .", " guardian is a phone for the terminal.", ""]))
    write(control / "conffiles", "/etc/countersign/countersign.json\n")
    for name in ("postinst", "prerm", "postrm"):
        write(control / name, (packaging / "debian" / name).read_bytes(), 0o755)
    files = sorted(path for path in root.rglob("*") if path.is_file() and control not in path.parents)
    write(control / "md5sums", "".join(
        f"{digest(path, 'md5')}  {path.relative_to(root)}\n" for path in files
        if not str(path.relative_to(root)).startswith("etc/")))
    settle(root, release)
    artifact = out / f"countersign_{release.version}_{release.architecture}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--build", str(root), str(artifact))
