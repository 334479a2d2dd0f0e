"""serve.py MODEL PORT TEMPLATE: llama.cpp's HTTP server on loopback. Prints READY, and ends when stdin does."""

import sys

import xllamacpp


def main(model, port, template):
    settings = xllamacpp.CommonParams()
    settings.model.path = model
    settings.hostnames = ["127.0.0.1"]
    settings.port = int(port)
    settings.n_ctx = 8192
    settings.n_parallel = 1
    settings.n_batch = 2048
    settings.cpuparams.n_threads = 2
    settings.cpuparams_batch.n_threads = 2
    settings.verbosity = 1
    settings.use_jinja = True
    settings.offline = True
    with open(template, encoding="utf-8") as file:
        settings.chat_template = file.read()
    server = xllamacpp.Server(settings)
    print("READY", server.listening_address, flush=True)
    sys.stdin.read()


main(*sys.argv[1:])
