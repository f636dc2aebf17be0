"""The site as hosts get it: its compressed files, its headers, and the files that the README tells to copy."""

import gzip
import random
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import brotli
import pytest
import yaml

import build
from tests import readme

BUILD = "python3 build.py build --out dist"


def test_compressed_files_hold_what_stands_beside_them(dist):
    for suffix, decompress in ((".br", brotli.decompress), (".gz", gzip.decompress)):
        compressed = list(dist.rglob(f"*{suffix}"))
        assert len(compressed) > 10
        for path in compressed:
            beside = path.with_suffix("").read_bytes()
            assert decompress(path.read_bytes()) == beside, path
            assert path.stat().st_size <= min(0.9 * len(beside), len(beside) - 1024), path


def test_what_a_visit_transfers_is_compressed(dist):
    wanted = [
        *dist.glob("python-*/pyodide.asm.js"),
        *dist.glob("python-*/pyodide.asm.wasm"),
        *dist.glob("corpora-*/*.txt"),
        dist / "index.html",
    ]
    wanted += [path for path in dist.glob("assets/*") if path.suffix in (".js", ".css") and path.stat().st_size > 5000]
    assert len(wanted) > 10
    for path in wanted:
        for suffix in (".br", ".gz"):
            assert path.with_name(path.name + suffix).is_file(), path
    assert not [path for suffix in ("whl", "zip", "bin", "map") for path in dist.rglob(f"*.{suffix}.*")]


def precompress(site, cache):
    command = [build.node(), build.WEB / "precompress.mjs", site, cache]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def test_what_was_compressed_once_is_taken_from_the_cache_and_what_is_no_longer_needed_is_not_kept(tmp_path):
    site, cache = tmp_path / "site", tmp_path / "cache"
    site.mkdir()
    (site / "a.js").write_text("// the same line again and again\n" * 200)
    (site / "same.txt").write_text((site / "a.js").read_text())
    (site / "short.js").write_text("a" * 1024)
    (site / "random.txt").write_bytes(random.Random(1).randbytes(4096))
    precompress(site, cache)
    assert {path.name for path in site.iterdir() if path.suffix in (".br", ".gz")} == {
        "a.js.br", "a.js.gz", "same.txt.br", "same.txt.gz"
    }  # fmt: skip
    kept = sorted(cache.iterdir())
    assert len(kept) == 4, "the same text is kept once, and what is no smaller too, so that it is not tried again"
    for path in kept:
        path.write_bytes(b"from the cache")
    precompress(site, cache)
    assert (site / "a.js.br").read_bytes() == (site / "same.txt.gz").read_bytes() == b"from the cache"
    (site / "a.js").write_text("// another line again and again\n" * 200)
    (site / "same.txt").unlink()
    (site / "random.txt").unlink()
    precompress(site, cache)
    assert len(list(cache.iterdir())) == 2 and not set(kept) & set(cache.iterdir())


# Headers


def read_headers(text):
    """The rules of a `_headers` file: {address: {name: value}}."""
    rules, address = {}, None
    for line in text.splitlines():
        if line.startswith("/"):
            address = line
            assert address not in rules
            rules[address] = {}
        else:
            name, value = line.strip().split(": ", 1)
            rules[address][name] = value
    return rules


@pytest.fixture(scope="module")
def rules(dist):
    return read_headers((dist / "_headers").read_text())


def headers_of(rules, address):
    """What the rules give an address; no two may set the same, since hosts differ in what they make of that."""
    found = {}
    for pattern, headers in rules.items():
        if pattern == address or (pattern.endswith("/*") and address.startswith(pattern[:-1])):
            assert not found.keys() & headers.keys(), address
            found |= headers
    return found


def test_hosts_that_read_headers_get_the_same_as_the_servers_here_give(dist, rules):
    kinds = set()
    for path in (path for path in dist.rglob("*") if path.is_file() and path.suffix not in (".br", ".gz")):
        name = path.relative_to(dist).as_posix()
        headers = headers_of(rules, f"/{name}")
        assert headers["Access-Control-Allow-Origin"] == "*"
        assert headers["X-Content-Type-Options"] == "nosniff"
        hashed = re.match(r"(assets|corpora-[0-9a-f]{10}|python-[0-9a-f]{10})/", name)
        assert headers.get("Cache-Control") == ("public, max-age=31536000, immutable" if hashed else None), name
        if path.suffix in (".wasm", ".mjs"):
            kinds.add(headers["Content-Type"])
    assert kinds == {"application/wasm", "text/javascript; charset=utf-8"}


def test_every_rule_is_for_something_that_is_there(dist, rules):
    assert len(rules) < 100, "Cloudflare Pages reads no more"
    for address in rules:
        assert (dist / address[1:].removesuffix("*")).exists(), address


def test_every_name_that_may_be_kept_for_ever_tells_its_content(dist):
    for folder in ("corpora", "python"):
        [path] = dist.glob(f"{folder}-*")
        content = [file for file in path.iterdir() if file.suffix not in (".br", ".gz")]
        assert path.name == f"{folder}-{build.fingerprint_of_files(content)}"
    for path in (dist / "assets").iterdir():
        assert re.search(r"-[0-9A-Z]{8}\.\w+", path.name), path


def test_github_pages_leaves_the_site_as_it_is(dist):
    assert (dist / ".nojekyll").is_file()


# What the README tells to copy


def test_the_workflow_builds_the_site_and_publishes_that_folder():
    workflow = yaml.safe_load(readme.block("yaml", "deploy-pages"))
    [job] = workflow["jobs"].values()
    assert workflow["permissions"] == {"contents": "read", "pages": "write", "id-token": "write"}
    assert workflow[True]["push"] == {"branches": ["main"]}  # YAML 1.1 reads the key `on` as true
    assert job["environment"]["name"] == "github-pages"
    steps = {step.get("uses", step.get("run")).split("@")[0]: step for step in job["steps"]}
    assert list(steps) == [
        *("actions/checkout", "actions/setup-python", "actions/setup-node"),
        *(BUILD, "actions/upload-pages-artifact", "actions/deploy-pages"),
    ]
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"]) for step in job["steps"] if "uses" in step)
    assert steps["actions/setup-python"]["with"]["python-version"] == "{}.{}".format(*build.RUNTIME_PYTHON)
    assert int(steps["actions/setup-node"]["with"]["node-version"]) >= build.OLDEST_NODE
    assert steps["actions/upload-pages-artifact"]["with"]["path"] == shlex.split(BUILD)[-1]
    assert job["environment"]["url"] == "${{ steps.%s.outputs.page_url }}" % steps["actions/deploy-pages"]["id"]


def test_netlify_builds_the_site_and_publishes_that_folder():
    told = tomllib.loads(readme.block("toml", "publish"))["build"]
    assert told["command"] == BUILD
    assert told["publish"] == shlex.split(BUILD)[-1]
    assert told["environment"]["PYTHON_VERSION"] == "{}.{}".format(*build.RUNTIME_PYTHON)
    assert int(told["environment"]["NODE_VERSION"]) >= build.OLDEST_NODE


def test_the_command_of_the_readme_is_one_that_build_py_takes():
    assert readme.block("sh", BUILD) == f"{BUILD}\n"
    chosen, rest = build.read_arguments(shlex.split(BUILD)[2:])
    assert (chosen.command, chosen.out, rest) == ("build", Path("dist"), [])
