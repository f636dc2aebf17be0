"""The site behind a real nginx that is set up as the README says, under a sub-path."""

import gzip
import http.client
import os
import socket
import subprocess
import time

import brotli
import pytest

import build
from lab_page import SMALL
from tests import programs, readme

# What Debian's own nginx.conf does around the README's block, but in a folder of the test, and in the foreground.
CONFIGURATION = """
load_module {module};
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    {temporary}
    include /etc/nginx/mime.types;
    {block}
}}
"""


class Nginx:
    """A running nginx with the site at /lab/."""

    def __init__(self, port):
        self.port = port
        self.url = f"http://127.0.0.1:{port}/lab/"

    def get(self, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        response.content = response.read()
        connection.close()
        return response


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def nginx(dist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("nginx")
    (folder / "site").symlink_to(dist)
    port, block = free_port(), readme.block("nginx", "brotli_static")
    for told, here in (("listen 80;", f"listen 127.0.0.1:{port};"), ("/var/www/embedding-lab/", f"{folder}/site/")):
        assert block.count(told) == 1
        block = block.replace(told, here)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n    ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    configuration = folder / "nginx.conf"
    configuration.write_text(
        CONFIGURATION.format(module=programs.BROTLI_MODULE, folder=folder, temporary=temporary, block=block)
    )
    if os.geteuid() == 0:  # its workers are then of a user who must reach the site
        configuration.write_text(f"user root;\n{configuration.read_text()}")
    command = [programs.find_nginx(), "-p", folder, "-e", folder / "error.log", "-c", configuration]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        running = Nginx(port)
        try:
            wait_for(running, server)
            yield running
        finally:
            server.terminate()
            said = server.communicate(timeout=20)[1]
    assert said == "", "nginx warns of something in the README's block"
    told = [line for line in (folder / "error.log").read_text().splitlines() if " [notice] " not in line]
    assert all("No such file or directory" in line for line in told), told


def wait_for(nginx, server):
    for _ in range(200):
        assert server.poll() is None, server.stderr.read()
        try:
            return nginx.get("/lab/favicon.svg")
        except ConnectionError:
            time.sleep(0.05)
    pytest.fail("nginx does not answer")


def test_every_file_has_its_type_and_is_kept_as_its_name_allows(dist, nginx):
    seen = set()
    for path in sorted(path for path in dist.rglob("*") if path.is_file() and path.suffix not in (".br", ".gz")):
        name = path.relative_to(dist).as_posix()
        response = nginx.get(f"/lab/{name}")
        assert response.status == 200 and response.content == path.read_bytes(), name
        assert response.getheader("Content-Type") == build.MIME_TYPES.get(path.suffix, build.MIME_TYPES[""]), name
        hashed = name.startswith(("assets/", "corpora-", "python-"))
        assert response.getheader("Cache-Control") == ("public, max-age=31536000, immutable" if hashed else "no-cache"), name
        assert response.getheader("Access-Control-Allow-Origin") == "*"
        assert response.getheader("X-Content-Type-Options") == "nosniff"
        assert response.getheader("Content-Encoding") is None
        seen.add(path.suffix)
    assert {".wasm", ".mjs", ".js", ".css", ".html", ".json", ".svg", ".txt", ".map", ".whl", ".zip", ".bin"} <= seen


def test_what_is_compressed_is_sent_so_to_who_takes_it(dist, nginx):
    compressed = [path for path in dist.rglob("*.br") if "licenses" not in path.parts]
    assert len(compressed) > 10
    for path in compressed:
        name = path.relative_to(dist).as_posix().removesuffix(".br")
        original = (dist / name).read_bytes()
        assert nginx.get(f"/lab/{name}").getheader("Vary") == "Accept-Encoding", name
        for accepted, encoding, decompress in (
            ("gzip, deflate, br", "br", brotli.decompress),
            ("gzip", "gzip", gzip.decompress),
        ):
            response = nginx.get(f"/lab/{name}", Accept_Encoding=accepted)
            assert response.getheader("Content-Encoding") == encoding, name
            assert response.getheader("Vary") == "Accept-Encoding", name
            assert response.getheader("Content-Type") == build.MIME_TYPES[path.with_suffix("").suffix], name
            assert len(response.content) < 0.9 * len(original) and decompress(response.content) == original, name


def test_the_sub_path_is_found_and_what_is_missing_may_be_read_as_missing_by_every_origin(nginx):
    moved = nginx.get("/lab")
    assert moved.status == 301 and moved.getheader("Location").endswith("/lab/")
    assert nginx.get("/lab/").getheader("Cache-Control") == "no-cache"
    for path in ("/lab/none.html", "/lab/assets/none.js", "/lab/python-0123456789/"):
        missing = nginx.get(path)
        assert missing.status == 404 and missing.getheader("Cache-Control") is None
        assert missing.getheader("Access-Control-Allow-Origin") == "*"


def test_a_second_visit_is_told_that_nothing_changed(nginx):
    first = nginx.get("/lab/index.html", Accept_Encoding="br")
    again = nginx.get("/lab/index.html", Accept_Encoding="br", If_None_Match=first.getheader("ETag"))
    assert (again.status, again.content) == (304, b"")
    assert again.getheader("Cache-Control") == "no-cache"


def test_the_policy_is_that_of_the_pages(dist, nginx):
    pages = [page for page in dist.glob("*.html") if "<script" in page.read_text()]
    assert dist / "index.html" in pages
    for page in pages:
        sent = nginx.get(f"/lab/{page.name}").getheader("Content-Security-Policy")
        assert f'http-equiv="Content-Security-Policy" content="{sent}"' in page.read_text()


@pytest.mark.cold
def test_the_lab_trains_there_from_compressed_files(lab, nginx):
    lab.open(nginx, **SMALL, encodings="none,learned")
    assert len(lab.run_to_end()["runs"]) == 2
    sizes = lab.page.evaluate(
        """Object.fromEntries(performance.getEntriesByType("resource")
             .map(({ name, encodedBodySize, decodedBodySize }) => [name.split("/").pop(), encodedBodySize / decodedBodySize]))"""
    )
    assert sizes["pyodide.asm.wasm"] < 0.3 and sizes["alice29.txt"] < 0.35, "sent as Brotli"
