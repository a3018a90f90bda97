"""Runs each line of the input, a JSON string of SQL, in one DuckDB and prints its rows or its error as a line of JSON."""

import json
import sys
from importlib.resources import files

import duckdb

connection = duckdb.connect()
# Any other DuckDB downloads them by itself.
for name in ("postgres_scanner", "httpfs", "ducklake"):
    for path in files(f"duckdb_extension_{name}").rglob("*.duckdb_extension"):
        connection.load_extension(str(path))
for line in sys.stdin:
    try:
        print(json.dumps({"rows": connection.execute(json.loads(line)).fetchall()}, default=str), flush=True)
    except duckdb.Error as error:
        print(json.dumps({"error": str(error)}), flush=True)
