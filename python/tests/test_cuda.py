"""`--device cuda` from wheels: however they were installed, the program for GPUs is found, and the loader finds NVIDIA's
libraries for it. The program and the libraries are stubs, made by the C compiler."""

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import tomeval

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = {
    "nvidia_cuda_runtime": (["libcudart.so.13"], "13.0.96"),
    "nvidia_cublas": (["libcublasLt.so.13", "libcublas.so.13"], "13.1.0"),
    "nvidia_curand": (["libcurand.so.10"], "10.4.0"),
}
NAMES = sorted(name for names, _ in LIBRARIES.values() for name in names)

pytestmark = [
    pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler"),
    pytest.mark.skipif(sys.platform != "linux", reason="for Linux only"),
]


def call(*command, **variables):
    environment = {key: value for key, value in os.environ.items() if key not in {"LD_LIBRARY_PATH", "VIRTUAL_ENV"}}
    done = subprocess.run([str(part) for part in command], env=environment | variables, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def compiled(source, to, *more):
    to.with_suffix(".c").write_text(source, "utf-8")
    call("cc", to.with_suffix(".c"), "-o", to, *more)
    return to


def library(name, folder, *more):
    # The linker takes libNAME.so for -lNAME; the loader takes the name with its version.
    function = name.split(".")[0]
    path = compiled(f"int {function}(void) {{ return 0; }}\n", folder / name, "-shared", "-fPIC", f"-Wl,-soname,{name}", *more)
    (folder / f"{function}.so").symlink_to(name)
    return path


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """Folder with the wheels of tomeval, of a stub of `tomeval-cuda`, and of stubs of NVIDIA's libraries."""
    folder, made = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("made")
    spec = importlib.util.spec_from_file_location("wheel", ROOT / "scripts" / "wheel.py")
    wheel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wheel)

    for package, (names, version) in LIBRARIES.items():
        about = f"{package}-{version}.dist-info"
        with zipfile.ZipFile(folder / f"{package}-{version}-py3-none-any.whl", "w") as archive:
            for name in names:
                more = ["-L", made, "-Wl,--no-as-needed", "-lcublasLt"] if name == "libcublas.so.13" else []
                archive.write(library(name, made, *more), f"nvidia/cu13/lib/{name}")
            archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
            archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{about}/RECORD", "")

    program = tomeval.find_program()
    version = call(program, "--version").splitlines()[0]
    source = f"""
        #include <stdio.h>
        #include <string.h>
        int libcudart(void), libcublas(void), libcurand(void);
        int main(int count, char **arguments) {{
            if (count > 1 && !strcmp(arguments[1], "--version")) return puts("{version}\\nfeatures: cuda") < 0;
            char line[4096];
            FILE *maps = fopen("/proc/self/maps", "r");
            while (fgets(line, sizeof line, maps)) if (strstr(line, "/libcu")) fputs(strchr(line, '/'), stdout);
            return libcudart() + libcublas() + libcurand();
        }}
    """
    link = ["-L", made, "-lcudart", "-lcublas", "-lcurand", f"-Wl,-rpath-link,{made}"]
    stub = compiled(source, made / "stub", *link)
    platform = "linux_x86_64" if os.uname().machine == "x86_64" else f"linux_{os.uname().machine}"
    wheel.pack(Path(program), "tomeval", platform, folder)
    wheel.pack(stub, "tomeval-cuda13", platform, folder)
    return folder


@pytest.fixture
def decoy(tmp_path):
    """Another CUDA release's folder that LD_LIBRARY_PATH names: releases share the name of one library."""
    folder = tmp_path / "other release"
    folder.mkdir()
    library("libcurand.so.10", folder)
    return folder


def venv(place, wheels):
    call(sys.executable, "-m", "venv", place)
    call(place / "bin/python", "-m", "pip", "install", "--no-index", "--find-links", wheels, "tomeval", "tomeval-cuda13")
    return place / "bin/tomeval", {}


def user(place, wheels):
    python = [sys._base_executable, "-m", "pip"]
    if subprocess.run([*python, "--version"], capture_output=True).returncode:
        pytest.skip("the Python below this environment has no pip")
    home = {"PYTHONUSERBASE": str(place)}
    # Some systems keep their Python to themselves.
    shared = ["--break-system-packages"] if "--break-system-packages" in call(*python, "install", "--help") else []
    call(*python, "install", "--user", *shared, "--no-index", "--find-links", wheels, "tomeval", "tomeval-cuda13", **home)
    return place / "bin/tomeval", home


def target(place, wheels):
    pip = [sys.executable, "-m", "pip"]
    call(*pip, "install", "--target", place, "--no-index", "--find-links", wheels, "tomeval", "tomeval-cuda13")
    return place / "bin/tomeval", {}


def of_uv(place):
    pytest.importorskip("uv")
    places = {"UV_CACHE_DIR": "cache", "UV_TOOL_DIR": "tools", "UV_TOOL_BIN_DIR": "bin"}
    return {name: str(place / folder) for name, folder in places.items()} | {"UV_PYTHON_DOWNLOADS": "never"}


def uv(*arguments):
    return [sys.executable, "-m", "uv", *arguments]


def uv_tool(place, wheels):
    variables, wanted = of_uv(place), ["--python", sys.executable, "--no-index", "--find-links", wheels]
    call(*uv("tool", "install", "tomeval", "--with", "tomeval-cuda13", *wanted), **variables)
    assert (place / "bin/tomeval").is_symlink()
    return place / "bin/tomeval", variables


def uv_links(place, wheels):
    variables, wanted = of_uv(place), ["--no-index", "--find-links", wheels]
    call(*uv("venv", "--python", sys.executable, place / "env"), **variables)
    command = uv("pip", "install", "--python", place / "env/bin/python", "--link-mode", "symlink", *wanted)
    call(*command, "tomeval", "tomeval-cuda13", **variables)
    assert (place / "env/bin/tomeval").is_symlink()
    return place / "env/bin/tomeval", variables


def check(printed, decoy, place=None):
    libraries = [Path(line) for line in dict.fromkeys(printed.splitlines())]
    assert sorted(library.name for library in libraries) == NAMES, printed
    for library in libraries:
        assert not library.is_relative_to(decoy), printed
        if place:
            assert library.is_relative_to(place) and library.parent.parts[-3:] == ("nvidia", "cu13", "lib"), library


@pytest.mark.parametrize("install", [venv, user, target, uv_tool, uv_links])
def test_libraries_of_wheels_are_found(install, tmp_path, wheels, decoy):
    place = tmp_path / "a place"
    program, variables = install(place, wheels)
    # The loader tells where links lead: those of uv into its cache.
    known = None if install is uv_links else place
    plan, variables = ["plan", "--device", "cuda:0"], variables | {"LD_LIBRARY_PATH": str(decoy)}
    check(call(program, *plan, **variables), decoy, known)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    check(call("tomeval", *plan, **variables, PATH=path), decoy, known)


def test_libraries_are_found_from_uvx(tmp_path, wheels, decoy):
    wanted = ["--python", sys.executable, "--no-index", "--find-links", wheels, "--from", "tomeval", "--with", "tomeval-cuda13"]
    variables = of_uv(tmp_path / "a place") | {"LD_LIBRARY_PATH": str(decoy)}
    printed = call(*uv("tool", "run", *wanted, "tomeval", "plan", "--device", "cuda:0"), **variables)
    check(printed, decoy)
