"""Skills for a host on the OpenAI SDK: a catalog, two tools, no body twice, and compactions that keep the bodies.

    pip install prowess openai
    OPENAI_API_KEY=... python openai_sdk.py PROJECT PROMPT...
"""

import json
import os
import sys

from openai import OpenAI

from prowess import Ledger, Library

MODEL = os.environ.get("MODEL", "gpt-5")
WINDOW = 100_000  # tokens; what goes beyond it is compacted

client = OpenAI()


class Session:
    def __init__(self, project):
        self.library, self.ledger = Library.load(project=project), Ledger()
        # What the model sees every turn. Its text does not change with activations, so prompt caches hold.
        catalog = self.library.catalog(budget=WINDOW // 50, style="tool")
        self.messages = [{"role": "system", "content": f"You are an agent.\n\n{catalog.text}"}]
        self.tools = self.library.tools("openai")

    def ask(self, messages, tools=()):
        options = {"tools": tools} if tools else {}
        return client.chat.completions.create(model=MODEL, messages=messages, **options)

    def turn(self, prompt):
        # `/pdf-forms form.pdf` is the user's own activation; the text becomes a message of its own.
        for mention in self.library.mentions(prompt):
            delivery = self.library.activate(mention.id, ledger=self.ledger, arguments=mention.arguments)
            self.messages.append({"role": "user", "content": delivery.text})
        self.messages.append({"role": "user", "content": prompt})
        while True:
            self.ledger.reconcile(self.messages)
            reply = self.ask(self.messages, self.tools)
            message = reply.choices[0].message
            self.messages.append(message)
            for call in message.tool_calls or []:
                self.messages.append({"role": "tool", "tool_call_id": call.id, "content": self.answer(call)})
            if not message.tool_calls:
                break
        if reply.usage.total_tokens > WINDOW:
            self.compact()
        return message.content

    def answer(self, call):
        delivery = self.library.dispatch(call, ledger=self.ledger)
        if delivery is None:
            return f"there is no tool {call.function.name}"  # or one of your own
        print(f"{call.id}: {delivery.status}, {delivery.tokens} tokens", file=sys.stderr)
        return delivery.text

    def compact(self):
        plan = self.ledger.plan_compaction(self.messages, budget=WINDOW // 4, keep=WINDOW // 10)
        request = f"Sum up this conversation. {plan.hint}\n\n{json.dumps(plan.leaving)}"
        summary = self.ask([{"role": "user", "content": request}]).choices[0].message.content
        self.messages = plan.apply(summary=summary)  # until here, nothing has changed
        print(f"compacted: {plan!r}", file=sys.stderr)


if __name__ == "__main__":
    session = Session(project=sys.argv[1])
    print(session.library.summary(), file=sys.stderr)
    for text in sys.argv[2:]:
        print(session.turn(text))
