"""What keeps the site safe and can be read off its files: the policy of its pages, no HTML made of texts, pinned parts, their licences."""

import json
import re
import tomllib
import zipfile

import pytest

import build

# What makes HTML or code of a text, in a browser or in Lit.
SINKS = re.compile(
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|parseFromString|parseHTMLUnsafe|setHTMLUnsafe|srcdoc"
    r"|execCommand|importScripts|unsafeHTML|unsafeSVG|unsafeStatic|unsafeCSS|javascript:)"
    r"|document\s*\.\s*write|\beval\s*\(|\bFunction\s*\(|set(?:Timeout|Interval)\s*\(\s*[\"'`]|static-html|createElement\(\s*[\"'`]script"
)
# And the only line of ours that may look like one: PyScript's worker is a text in which such a name has to be replaced.
KNOWN = {("bundle.mjs", "importScripts")}


def own_sources():
    folders = [build.WEB, build.WEB / "lab", build.WEB / "charts"]
    for folder in folders:
        for path in sorted(folder.glob("*") if folder == build.WEB else folder.rglob("*")):
            if path.suffix in (".js", ".mjs", ".html"):
                yield path


def test_nothing_of_ours_makes_html_or_code_of_a_text():
    sources = list(own_sources())
    assert len(sources) > 150
    found = {(path.name, match[0]) for path in sources for match in SINKS.finditer(without_comments(path.read_text()))}
    assert found == KNOWN


def without_comments(text):
    return re.sub(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", "", text, flags=re.DOTALL)


@pytest.mark.parametrize(
    "line",
    [
        "element.innerHTML = name", "element.insertAdjacentHTML('beforeend', name)", "document.write(name)", "eval(name)",
        "new Function(name)", "setTimeout('go()', 1)", "html`${unsafeHTML(name)}`", 'document.createElement("script")',
    ],
)  # fmt: skip
def test_the_search_finds_each_way(line):
    assert SINKS.search(without_comments(f"/* a remark */ {line}"))


def policies():
    """The policies of all pages that are built, by the page's name."""
    pages = {path.name: path.read_text() for path in (build.ROOT / "dist").glob("*.html")}
    return {
        name: re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text) for name, text in pages.items()
    }


def read(policy):
    return {words[0]: words[1:] for part in policy.split(";") if (words := part.split())}


def test_every_page_has_one_policy_and_those_with_scripts_the_same_as_the_server_of_the_readme(dist):
    found = policies()
    assert all(len(policy) == 1 for policy in found.values()), found
    with_scripts = {name for name in found if "<script" in (dist / name).read_text()}
    assert with_scripts == {"index.html", "embed.html"}
    [policy] = {found[name][0] for name in with_scripts}
    assert re.findall(r'Content-Security-Policy "([^"]*)"', (build.ROOT / "README.md").read_text()) == [policy]
    assert {found[name][0] for name in found.keys() - with_scripts} <= {"default-src 'none'"}
    assert "default-src 'none'" in (dist / "licenses/index.html").read_text()


def test_the_policy_lets_in_nothing_inline_nothing_from_elsewhere_and_no_text_as_code(dist):
    rules = read(policies()["index.html"][0])
    assert rules.pop("default-src") == ["'none'"]
    assert rules.pop("require-trusted-types-for") == ["'script'"]
    made = {name for path in dist.glob("assets/*.js") for name in re.findall(r'createPolicy\("([^"]+)"', path.read_text())}
    assert set(rules.pop("trusted-types")) == made
    assert rules.pop("base-uri") == rules.pop("form-action") == ["'none'"]
    assert {source for sources in rules.values() for source in sources} == {"'self'", "blob:", "data:", "'wasm-unsafe-eval'"}
    assert all("data:" not in rules[name] for name in ("script-src", "worker-src"))


def test_a_page_has_no_script_or_style_within_it(dist):
    for path in dist.rglob("*.html"):
        text = path.read_text()
        assert not re.search(r"<style|\sstyle=|\son\w+=", text), path
        assert not [tag for tag in re.findall(r"<script\b[^>]*>", text) if "src=" not in tag], path


@pytest.mark.parametrize("folder", ["web", "tests/bench/peers"])
def test_every_npm_package_is_pinned_with_what_tells_its_content(folder):
    named = json.loads((build.ROOT / folder / "package.json").read_text())
    for name, version in {**named.get("dependencies", {}), **named.get("devDependencies", {})}.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), name
    lock = json.loads((build.ROOT / folder / "package-lock.json").read_text())["packages"]
    assert len(lock) > 10
    for path, package in lock.items():
        if path:
            assert re.fullmatch(r"sha512-[\w+/]{86}==", package["integrity"]), path
            assert re.fullmatch(r"\d+\.\d+\.\d+(-[\w.]+)?", package["version"]), path


def test_every_python_package_is_pinned():
    project = tomllib.loads((build.ROOT / "pyproject.toml").read_text())
    extras = [needed for needs in project["project"]["optional-dependencies"].values() for needed in needs]
    groups = [needed for needs in project["dependency-groups"].values() for needed in needs]
    needs = [*project["build-system"]["requires"], *project["project"]["dependencies"], *extras, *groups]
    assert len(needs) > 20
    own = re.compile(r"embedding-lab\[\w+\]")
    loose = [needed for needed in needs if not own.fullmatch(needed) and not re.fullmatch(r"[\w-]+==[\d.]+(;.*)?", needed)]
    assert loose == []
    for download in (build.NUMPY_PACKAGE, build.CORPORA_PACKAGE):
        assert re.fullmatch(r"(@[\w-]+/)?[\w-]+(@|==)[\d.]+", download)


def test_every_package_whose_code_is_in_a_script_has_its_licence_text(dist):
    """The source maps say independently of the build's own list what a script was made of."""
    sources = {name for path in dist.glob("assets/*.js.map") for name in json.loads(path.read_text())["sources"]}
    shipped = {match[1] for name in sources if (match := re.search(r".*node_modules/((?:@[^/]+/)?[^/]+)/", name))}
    assert len(shipped) > 15
    shipped.add("@webreflection/idb-map")  # only in the text of PyScript's worker, which no source map tells of
    index = (dist / "licenses/index.html").read_text()
    for name in shipped:
        files = re.findall(rf'<td>{re.escape(name)}</td><td>[\d.]+</td><td><a href="([^"]+)">', index)
        assert files, name
        for file in files:
            assert re.search(r"copyright|licen[cs]e", (dist / "licenses" / file).read_text(), re.IGNORECASE), name


def compiled_in():
    return tomllib.loads((build.WEB / "licenses/parts.toml").read_text())


def test_the_list_of_what_is_compiled_in_was_made_for_what_ships():
    """Else someone has to go through a new version's parts again: parts.toml says how."""
    pyodide = json.loads((build.PYODIDE / "package.json").read_text())["version"]
    assert compiled_in()["made_for"] == {"pyodide": pyodide, "numpy": build.NUMPY_VERSION}


def test_every_part_that_is_compiled_in_has_its_licence_text(dist):
    index, parts = (dist / "licenses/index.html").read_text(), compiled_in()["part"]
    assert len({part["name"] for part in parts}) == len(parts) > 25
    for part in parts:
        (file,) = re.findall(rf'<td>{re.escape(part["name"])}</td><td>{part["version"]}</td><td><a href="([^"]+)">', index)
        text = (dist / "licenses" / file).read_text()
        assert re.search(r"copyright|public domain", text, re.IGNORECASE) and len(text) > 200, part["name"]
        assert all(part[told] for told in ("license", "inside", "source")), part["name"]
    texts = {path.name for path in (build.WEB / "licenses/inside").iterdir()}
    assert texts == {part["text"] for part in parts}


def test_every_part_that_is_compiled_in_shows_in_the_program(dist):
    (runtime,) = dist.glob("python-*")
    programs = {name: (runtime / name).read_bytes() for name in build.PYODIDE_FILES}
    for name in (build.NUMPY_WHEEL, build.NUMPY_LATER):
        with zipfile.ZipFile(runtime / name) as archive:
            programs.update({inner.split(".")[0]: archive.read(inner) for inner in archive.namelist() if inner.endswith(".so")})
    parts = compiled_in()["part"]
    for part in parts:
        assert part.get("sign", "").encode() in programs[part["file"]], part["name"]
    # And no other library shows there, as far as the program has the paths of its sources.
    libraries = rb"/emsdk/emscripten/system/lib/[\w-]+/|\./Modules/[\w-]+/"
    found = {path.decode() for path in re.findall(libraries, programs["pyodide.asm.wasm"])}
    assert len(found) >= 4
    assert [path for path in found if not any(path in part.get("sign", "") for part in parts)] == []
