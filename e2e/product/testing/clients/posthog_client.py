"""Sends events with the ids in its input, and prints the flags of the people in it, as JSON."""

import json
import os
import sys
import time

from posthog import Posthog

asked = json.load(sys.stdin)


def open_client(capture_mode):
    return Posthog(
        os.environ["PROJECT_KEY"],
        host=f"{os.environ['BASE_URL']}/posthog",
        flush_at=20,
        flush_interval=0.1,
        gzip=True,
        max_retries=10,
        capture_mode=capture_mode,
    )


def send(client, ids):
    for n, uuid in enumerate(ids):
        client.capture("paid", distinct_id=f"python-{n % 7}", uuid=uuid, properties={"n": n})
        time.sleep(asked["pause_ms"] / 1000)


client = open_client("v0")
if asked["ids"]:
    newer = open_client("v1")
    half = len(asked["ids"]) // 2
    send(client, asked["ids"][:half])
    client.set(distinct_id="python-ada", properties={"plan": "pro"})
    client.set_once(distinct_id="python-ada", properties={"source": "news"})
    client.flush()
    newer.set_once(distinct_id="python-ada", properties={"source": "search"})
    newer.alias(previous_id="python-ada", distinct_id="python-visitor")
    send(newer, asked["ids"][half:])
    newer.shutdown()
print(
    json.dumps(
        {
            person["userId"]: client.get_all_flags(person["userId"], person_properties=person["properties"])
            for person in asked["people"]
        }
    )
)
client.shutdown()
