"""Reads people and flags as JSON from its input, and prints the variation of each flag for each person, as JSON."""

import json
import os
import sys
import tempfile

from UnleashClient import UnleashClient

asked = json.load(sys.stdin)
client = UnleashClient(
    url=f"{os.environ['BASE_URL']}/unleash/api",
    app_name="wires",
    custom_headers={"Authorization": os.environ["PROJECT_KEY"]},
    cache_directory=tempfile.mkdtemp(),
)
client.initialize_client()


def variation(flag, person):
    found = client.get_variant(flag, person)
    if found["enabled"]:
        return found["name"]
    return "on" if found["feature_enabled"] else "off"


print(
    json.dumps(
        {
            person["userId"]: {flag: variation(flag, person) for flag in asked["flags"]}
            for person in asked["people"]
        }
    )
)
client.destroy()
