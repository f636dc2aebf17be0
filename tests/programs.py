"""Finds the programs that the tests drive, browsers and a web server, and installs them where it can, for build.py.

Standard library only: it runs before there is anything else.
"""

import os
import shutil
import subprocess
from pathlib import Path

import build

BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
# The engines that tests/engines run in, and what each needs beside what find_browser finds: {program: Debian package}.
ENGINES = {
    "chromium": {},
    "firefox": {"firefox-esr": "firefox-esr"},
    "webkit": {"WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"},
}
NGINX_PACKAGES = ("nginx", "libnginx-mod-http-brotli-static")
BROTLI_MODULE = Path("/usr/lib/nginx/modules/ngx_http_brotli_static_module.so")  # where Debian puts it


def find_browser():
    """What tests drive: "" for Playwright's own browser, else the path of an installed one; installs one if it can."""
    command = [build.venv_python(), "-m", "playwright", "install", "--only-shell", "chromium"]
    asked = build.VENV / "no-playwright-browser"  # asked once for each .venv, since the answer may take long
    if not asked.exists():
        try:
            build.run(command, "Playwright cannot fetch its browser", timeout=300)
            return ""
        except (build.BuildError, subprocess.TimeoutExpired):
            asked.touch()
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found:
        return found
    remedy = "install Chromium or Chrome (on Debian: apt-get install chromium)"
    install(["chromium"], f"there is no browser for the tests: {remedy}")
    return build.tool("chromium", remedy)


def find_nginx():
    """The path of nginx, which has its module for Brotli; installs both if it can."""
    remedy = f"install nginx with its module for Brotli (on Debian: apt-get install {' '.join(NGINX_PACKAGES)})"
    if not which_nginx():
        install(NGINX_PACKAGES, f"there is no web server for the tests: {remedy}")
    path = which_nginx()
    if not path:
        raise build.BuildError(f"nginx or {BROTLI_MODULE} is missing: {remedy}.")
    return path


def which_nginx():
    """The path of an nginx that has its module for Brotli, or None; Debian keeps it where only root looks for programs."""
    path = shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"]))
    return path if BROTLI_MODULE.exists() else None


def read_engines(text):
    """The engines that a list with commas names; None names all.

    Raises:
        build.BuildError: one of them is none.
    """
    names = list(ENGINES) if text is None else text.split(",")
    for name in names:
        if name not in ENGINES:
            raise build.BuildError(f'--engines {text}: "{name}" is no engine; choose from {",".join(ENGINES)}.')
    return names


def find_engines(names):
    """The path of each program that these engines need beside Chromium, by its name; installs all at once if it can."""
    wanted = {program: package for name in names for program, package in ENGINES[name].items()}
    packages = [package for program, package in wanted.items() if not shutil.which(program)]
    remedy = f"install what they need (on Debian: apt-get install {' '.join(packages)}), or leave engines out with --engines"
    if packages:
        install(packages, f"there are not all engines for the tests: {remedy}")
    return {program: build.tool(program, remedy) for program in wanted}


def install(packages, failure):
    """Install Debian packages, if this is root on a system that has them."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        build.say(f"Installing {' '.join(packages)} for the tests ...")
        # It is to ask nothing, and to start no service.
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
        build.run(["apt-get", "update"], failure)
        build.run(["apt-get", "install", "--yes", *packages], failure, env=environment)
