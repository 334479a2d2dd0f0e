"""Skills for a host on the Anthropic SDK: a catalog, two tools, no body twice, and compactions that keep the bodies.

    pip install prowess anthropic
    ANTHROPIC_API_KEY=... python anthropic_sdk.py PROJECT PROMPT...
"""

import json
import os
import sys

from anthropic import Anthropic

from prowess import Ledger, Library

MODEL = os.environ.get("MODEL", "claude-sonnet-4-5")
WINDOW = 100_000  # tokens; what goes beyond it is compacted

client = Anthropic()


class Session:
    def __init__(self, project):
        self.library, self.ledger = Library.load(project=project), Ledger()
        # What the model sees every turn. Its text does not change with activations, so prompt caches hold.
        self.system = f"You are an agent.\n\n{self.library.catalog(budget=WINDOW // 50, style='tool').text}"
        self.tools = self.library.tools("anthropic")
        self.messages = []

    def ask(self, messages, **options):
        return client.messages.create(model=MODEL, max_tokens=4096, messages=messages, **options)

    def turn(self, prompt):
        # `/pdf-forms form.pdf` is the user's own activation; the text becomes a part of its own.
        mentions = self.library.mentions(prompt)
        bodies = [self.library.activate(mention.id, ledger=self.ledger, arguments=mention.arguments) for mention in mentions]
        texts = [*(delivery.text for delivery in bodies), prompt]
        self.messages.append({"role": "user", "content": [{"type": "text", "text": text} for text in texts]})
        while True:
            self.ledger.reconcile(self.messages)
            reply = self.ask(self.messages, system=self.system, tools=self.tools)
            self.messages.append({"role": "assistant", "content": reply.content})
            answers = [self.answer(block) for block in reply.content if block.type == "tool_use"]
            if not answers:
                break
            self.messages.append({"role": "user", "content": answers})
        if reply.usage.input_tokens + reply.usage.output_tokens > WINDOW:
            self.compact()
        return "".join(block.text for block in reply.content if block.type == "text")

    def answer(self, block):
        delivery = self.library.dispatch(block, ledger=self.ledger)
        if delivery is None:
            text = f"there is no tool {block.name}"  # or one of your own
        else:
            text = delivery.text
            print(f"{block.id}: {delivery.status}, {delivery.tokens} tokens", file=sys.stderr)
        return {"type": "tool_result", "tool_use_id": block.id, "content": text}

    def compact(self):
        plan = self.ledger.plan_compaction(self.messages, budget=WINDOW // 4, keep=WINDOW // 10, format="anthropic")
        request = f"Sum up this conversation. {plan.hint}\n\n{json.dumps(plan.leaving)}"
        summary = self.ask([{"role": "user", "content": request}]).content[0].text
        self.messages = plan.apply(summary=summary)  # until here, nothing has changed
        print(f"compacted: {plan!r}", file=sys.stderr)


if __name__ == "__main__":
    session = Session(project=sys.argv[1])
    print(session.library.summary(), file=sys.stderr)
    for text in sys.argv[2:]:
        print(session.turn(text))
