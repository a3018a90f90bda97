"""Sends events with the ids in its input, and prints the flags of the people in it, as JSON."""

import json
import os
import sys

from posthog import Posthog

asked = json.load(sys.stdin)
client = Posthog(
    os.environ["PROJECT_KEY"],
    host=f"{os.environ['BASE_URL']}/posthog",
    flush_at=20,
    flush_interval=0.1,
)
for n, uuid in enumerate(asked["ids"]):
    client.capture("paid", distinct_id=f"python-{n % 7}", uuid=uuid, properties={"n": n})
client.set(distinct_id="python-ada", properties={"plan": "pro"})
client.set_once(distinct_id="python-ada", properties={"source": "news"})
client.set_once(distinct_id="python-ada", properties={"source": "search"})
client.alias(previous_id="python-ada", distinct_id="python-visitor")
print(
    json.dumps(
        {
            person: client.get_all_flags(person, person_properties=properties)
            for person, properties in asked["people"].items()
        }
    )
)
client.shutdown()
