#!/usr/bin/env python3
"""ClickHouse for tests: the engine of the package chdb behind ClickHouse's HTTP interface.

  server.py --folder <folder> --port <port> [--host <address>] [--database <name>] [--user <name>] [--password <text>] [--memory <bytes>] [--threads <count>]

Queries run one after the other in one session, which keeps its data in the folder. Differs from a server: a query
runs to its end after its client has disconnected (set max_execution_time), there are no users, temporary tables are
visible to all clients, and other servers cannot connect to it, so it is neither a shard nor a replica.
"""
import argparse
import base64
import gzip
import hmac
import json
import os
import re
import signal
import sys
import tempfile
import threading
import time
import zlib
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb import session

MAX_LINE = 1_048_576
MAX_BODY = 512_000_000
FORMAT = re.compile(r"\bFORMAT\s+(\w+)\s*;?\s*$", re.IGNORECASE)
INSERT = re.compile(r"^\s*INSERT\s+INTO\b(?P<into>.*?)\bFORMAT\s+(?P<format>\w+)\s*;?\s*$", re.IGNORECASE | re.DOTALL)
CODE = re.compile(r"Code:\s*(\d+)")
NAME = re.compile(r"^\w+$")
# What is no setting of the query.
OWN = {"query", "query_id", "database", "default_format", "session_id", "session_timeout", "session_check", "user",
       "password", "role", "enable_http_compression", "compress", "decompress", "wait_end_of_query", "buffer_size",
       "send_progress_in_http_headers", "http_headers_progress_interval_ms", "quota_key", "client_protocol_version"}
# As ClickHouse answers them; everything else is a 500.
STATUS = {16: 404, 36: 400, 41: 400, 43: 400, 46: 404, 47: 404, 53: 400, 57: 400, 60: 404, 62: 400, 70: 400, 72: 400,
          81: 404, 115: 404, 117: 400, 27: 400, 26: 400, 6: 400, 38: 400, 456: 400, 457: 400, 516: 403, 159: 408}


class Failed(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Engine:
    """One session; its lock serialises queries."""

    def __init__(self, folder, memory, threads):
        self.lock = threading.Lock()
        self.folder = folder
        self.session = session.Session(os.path.join(folder, "data"))
        self.defaults = {"max_memory_usage": memory, "max_threads": threads, "max_insert_threads": 1}
        for name, value in self.defaults.items():
            self.execute(f"SET {name} = {value}")

    def execute(self, query, output="TabSeparated"):
        try:
            return self.session.query(query, output)
        except Exception as error:
            found = CODE.search(str(error))
            raise Failed(int(found.group(1)) if found else 1002, str(error)) from None

    def run(self, query, data, output, database, settings, parameters):
        with self.lock:
            try:
                self.execute(f"USE {quoted_name(database)}")
                self.bind(parameters)
                self.set({name: quoted(value) for name, value in settings.items()})
                insert = INSERT.match(query)
                if insert is None:
                    return self.execute(query + data.decode(), output)
                return self.insert(insert, data)
            finally:
                self.restore(settings)

    def bind(self, parameters):
        # On a server, the limit holds for the text of the query alone.
        if not parameters:
            return
        self.set({"max_query_size": MAX_BODY})
        try:
            self.set({f"param_{name}": quoted(value) for name, value in parameters.items()})
        finally:
            self.restore(["max_query_size"])

    def insert(self, insert, data):
        if not data:
            return None
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".insert") as file:
            file.write(data)
            file.flush()
            into, name = insert.group("into"), insert.group("format")
            return self.execute(f"INSERT INTO {into} FROM INFILE {quoted(file.name)} COMPRESSION 'none' FORMAT {name}")

    def set(self, values):
        # In one statement, which takes as long as one of many. The engine checks all before it sets any.
        if values:
            self.execute("SET " + ", ".join(f"{name} = {value}" for name, value in values.items()))

    def restore(self, names):
        self.set({name: self.defaults.get(name, "DEFAULT") for name in names})


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def quoted_name(text):
    escaped = text.replace("\\", "\\\\").replace("`", "\\`")
    return f"`{escaped}`"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "chdb"
    # A client that stops sending holds a thread for so long.
    timeout = 600
    disable_nagle_algorithm = True

    def handle_one_request(self):
        # As in the base class, for a longer line: bound parameters are in the address.
        self.raw_requestline = self.rfile.readline(MAX_LINE + 1)
        if not self.raw_requestline:
            self.close_connection = True
            return
        if len(self.raw_requestline) > MAX_LINE:
            self.requestline = self.request_version = self.command = ""
            self.send_error(414)
            return
        if not self.parse_request():
            return
        if self.command not in ("GET", "POST", "HEAD"):
            self.send_error(501)
            return
        try:
            self.answer()
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        self.wfile.flush()

    def answer(self):
        address = urlsplit(self.path)
        body = self.body()
        if address.path == "/ping" or (address.path == "/" and self.command == "GET" and not address.query):
            return self.reply(200, b"Ok.\n")
        fields = dict(parse_qsl(address.query, keep_blank_values=True))
        if "multipart/form-data" in self.headers.get("Content-Type", ""):
            fields, body = {**fields, **self.parts(body)}, b""
        if not self.is_known(fields):
            return self.fail(Failed(516, "Code: 516. DB::Exception: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)"))
        started = time.monotonic()
        query = fields.get("query", "")
        query, data = (query, body) if query else (body.decode(), b"")
        output = FORMAT.search(query)
        output = output.group(1) if output else fields.get("default_format", "TabSeparated")
        parameters = {name[6:]: value for name, value in fields.items() if name.startswith("param_")}
        settings = {name: value for name, value in fields.items() if name not in OWN and not name.startswith("param_")}
        try:
            for name in [*settings, *parameters]:
                if not NAME.match(name):
                    raise Failed(115, f"Code: 115. DB::Exception: Unknown setting {name}. (UNKNOWN_SETTING)")
            database = self.headers.get("X-ClickHouse-Database") or fields.get("database", "default")
            result = self.server.engine.run(query, data, output, database, settings, parameters)
        except Failed as error:
            return self.fail(error)
        summary = {"read_rows": str(result.rows_read() if result else 0), "read_bytes": str(result.bytes_read() if result else 0),
                   "written_rows": "0", "written_bytes": "0", "total_rows_to_read": "0", "result_rows": "0", "result_bytes": "0",
                   "elapsed_ns": str(int((time.monotonic() - started) * 1e9))}
        headers = {"X-ClickHouse-Summary": json.dumps(summary), "X-ClickHouse-Format": output,
                   "X-ClickHouse-Query-Id": fields.get("query_id", "")}
        self.reply(200, bytes(result.bytes() or b"") if result else b"", headers, fields.get("enable_http_compression") == "1")

    def is_known(self, fields):
        user, password = fields.get("user", "default"), fields.get("password", "")
        scheme, _, given = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "basic":
            user, _, password = base64.b64decode(given).decode().partition(":")
        user = self.headers.get("X-ClickHouse-User", user)
        password = self.headers.get("X-ClickHouse-Key", password)
        expected = f"{self.server.user}:{self.server.password}"
        return hmac.compare_digest(f"{user}:{password}".encode(), expected.encode())

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            raw = b"".join(self.chunks())
        else:
            length = int(self.headers.get("Content-Length", 0))
            if length > MAX_BODY:
                raise ConnectionError("body too large")
            raw = self.rfile.read(length)
        encoding = self.headers.get("Content-Encoding", "")
        if encoding == "gzip":
            return gzip.decompress(raw)
        return zlib.decompress(raw) if encoding == "deflate" else raw

    def chunks(self):
        total = 0
        while size := int(self.rfile.readline(MAX_LINE).split(b";")[0], 16):
            total += size
            if total > MAX_BODY:
                raise ConnectionError("body too large")
            yield self.rfile.read(size)
            self.rfile.readline(MAX_LINE)
        while self.rfile.readline(MAX_LINE).strip():
            pass

    def parts(self, body):
        message = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + self.headers["Content-Type"].encode() + b"\r\n\r\n" + body)
        return {part.get_param("name", header="Content-Disposition"): part.get_payload(decode=True).decode() for part in message.iter_parts()}

    def fail(self, error):
        self.reply(STATUS.get(error.code, 500), f"{error}\n".encode(), {"X-ClickHouse-Exception-Code": str(error.code)})

    def reply(self, status, body, headers=None, compress=False):
        self.send_response(status)
        if compress and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 1)
            self.send_header("Content-Encoding", "gzip")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "text/plain; charset=UTF-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--database", default="default")
    parser.add_argument("--user", default="default")
    parser.add_argument("--password", default="")
    parser.add_argument("--memory", type=int, default=1_000_000_000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    server = Server((options.host, options.port), Handler)
    server.user, server.password = options.user, options.password
    server.engine = Engine(options.folder, options.memory, options.threads)
    server.engine.execute(f"CREATE DATABASE IF NOT EXISTS {quoted_name(options.database)}")
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    print("ClickHouse is ready", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
