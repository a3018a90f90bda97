"""Evaluates flags with the official OFREP provider and prints what it resolves, as JSON."""

import json
import os

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

headers = {"Authorization": f"Bearer {os.environ['PROJECT_KEY']}"}
api.set_provider(OFREPProvider(os.environ["BASE_URL"], headers_factory=lambda: headers))
client = api.get_client()
ada = EvaluationContext("ada")
colour = client.get_string_details("button-colour", "#000", ada)
free = EvaluationContext("ada", {"plan": "free"})
print(
    json.dumps(
        {
            "colour": [colour.value, colour.variant, str(colour.reason)],
            "limits": client.get_object_value("limits", {}, ada),
            "free": client.get_string_value("button-colour", "#000", free),
            "off": client.get_boolean_value("closed", True, ada),
            "missing": client.get_boolean_details("missing", False, ada).error_code.value,
            "nobody": client.get_boolean_details("beta", False).error_code.value,
        }
    )
)
