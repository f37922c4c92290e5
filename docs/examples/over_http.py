"""The planner of redis_like.py as a service over HTTP on loopback, and an adapter that talks to it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from redis_like import Adapter, LastWriter, Planner, Store


class Service(BaseHTTPRequestHandler):
    """POST /plan, /timed_out, /result and /read, with the arguments as JSON; 409 where it cannot be done now."""

    def do_POST(self):
        arguments = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method = self.server.methods[self.path]
        try:
            answer, status = method(*arguments), 200
        except ValueError as error:
            answer, status = str(error), 409
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass  # a line for each request would be too much


class Client:
    """The planner and its store, as seen from the other end of the wire."""

    def __init__(self, address):
        self.address = address

    def ask(self, path, *arguments):
        try:
            with urlopen(Request(self.address + path, json.dumps(arguments).encode()), timeout=5) as answer:
                return json.load(answer)
        except HTTPError as error:
            with error:
                raise ValueError(json.load(error)) from None

    def timed_out(self, key):
        return self.ask("/timed_out", key)

    def result(self, key, epoch, outcome):
        return self.ask("/result", key, epoch, outcome)

    def plan(self, key):
        return self.ask("/plan", key)

    def hgetall(self, key):
        return self.ask("/read", key)


class HttpAdapter(Adapter):
    """The same events as in redis_like.py; only the planner and its store are elsewhere."""

    served = Planner

    def __init__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def reset(self, parameters):
        store = Store()
        planner = self.served(store, parameters["epochs"])
        self.server.methods = {
            "/plan": planner.plan,
            "/timed_out": planner.timed_out,
            "/result": planner.result,
            "/read": store.hgetall,
        }
        self.keys = [f"call:{n}" for n in range(parameters["calls"])]
        self.store = self.planner = Client(f"http://127.0.0.1:{self.server.server_port}")
        self.wire = set()
        for key in self.keys:
            self.planner.plan(key)

    def close(self):
        """Called in the end: no server is left running."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class LastWriterOverHttp(HttpAdapter):
    served = LastWriter
