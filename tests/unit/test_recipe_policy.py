"""tests/recipes/policy.py, which writes a course's Content-Security-Policy: it lets in what the tool wrote, no more."""

import subprocess
import sys

import pytest

import build

SCRIPT = build.ROOT / "tests" / "recipes" / "policy.py"

# The example of the standard (CSP Level 3, 2.3.1) with its hash.
HELLO = "alert('Hello, world.');"
HELLO_HASH = "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"


@pytest.fixture
def policy_of(tmp_path):
    """The policy of a site with these pages, as the command prints it."""

    def policy(template, **pages):
        for name, text in pages.items():
            path = tmp_path / "site" / name / "index.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        (tmp_path / "policy.txt").write_text(template)
        command = [sys.executable, SCRIPT, tmp_path / "site", tmp_path / "policy.txt"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    return policy


def test_inline_scripts_of_all_pages_are_let_in_by_hash(policy_of):
    pages = {"one": f"<script>{HELLO}</script>", "two": f"<body><script type=module>\r\n</script><SCRIPT>{HELLO}</SCRIPT>"}
    newline = "'sha256-AbpHGcgLb+kRsJGnwFEktk7uzpZOCcBY74+YBdrKVGs='"  # printf '\n' | openssl dgst -sha256 -binary | base64
    assert policy_of("script-src 'self' {scripts};\nstyle-src {styles}", **pages) == (
        f"script-src 'self' {newline} {HELLO_HASH}; style-src\n"
    )


def test_what_is_no_inline_script_gets_no_hash(policy_of):
    page = f"<script src=a.js>{HELLO}</script><script type='application/json'>{HELLO}</script><p>{HELLO}</p><!-- {HELLO} -->"
    assert (
        policy_of("# a remark;\nscript-src {scripts};\nstyle-src 'self' {styles}", page=page)
        == "script-src; style-src 'self'\n"
    )


def test_code_in_attributes_is_let_in_by_hash_too(policy_of):
    page = f'<p onclick="{HELLO}">one</p><p style="{HELLO}">two</p><style>{HELLO}</style>'
    assert policy_of("script-src {scripts};\nstyle-src {styles}", page=page) == (
        f"script-src 'unsafe-hashes' {HELLO_HASH}; style-src 'unsafe-hashes' {HELLO_HASH}\n"
    )


def test_entities_are_read_in_attributes_and_not_in_scripts(policy_of):
    page = "<p onclick='alert(&#39;Hello, world.&#39;);'>one</p><script>1 &amp; 2</script>"
    literal = "'sha256-/JgLIqzlLBSNY29VmW03TQfau77ugt2vazCHw8HJmc8='"
    assert policy_of("script-src {scripts}", page=page) == f"script-src 'unsafe-hashes' {literal} {HELLO_HASH}\n"
