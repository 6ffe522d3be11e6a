// The built-in example: a script in place of a model, so that a new server can show a turn before anyone has a key. It reads which tools were
// called and never what was said, asks no other machine, reports no tokens, and says in every answer that it is no language model.

import { pause } from "../../kit/concurrency/deadline.ts";
import type { CallModel, ModelAnswer, ModelRequest } from "./model.ts";
import { NO_USAGE } from "./model.ts";

const WORD_EVERY_MS = 12;
const WORKER = "scribe";

const LABEL = "*Built-in example: a script, not a language model.*";

interface Line {
  readonly text: string;
  readonly call?: { readonly name: string; readonly arguments: object };
}

export const answerAsExample: CallModel = async (endpoint, request, listener, signal) => {
  const { text, call } = lineFor(request, endpoint.label);
  listener.attempt(1);
  listener.firstChunk();
  const said = `${LABEL}\n\n${text}`;
  for (const word of said.match(/\S+\s*/g) ?? []) {
    await pause(WORD_EVERY_MS, signal);
    signal.throwIfAborted();
    listener.text(word);
  }
  const calls = call ? [{ name: call.name, arguments: JSON.stringify(call.arguments) }] : [];
  const answer: ModelAnswer = {
    text: said,
    reasoning: "",
    thoughts: [],
    calls,
    dropped: [],
    finish: call ? "calls" : "stop",
    usage: NO_USAGE,
  };
  return answer;
};

/** The next line of the script, from the tools on offer and the calls of this turn. */
function lineFor({ messages, tools, mayCall }: ModelRequest, model: string): Line {
  const offers = (name: string) => mayCall && tools.some((tool) => tool.name === name);
  // Only an orchestrator has it, and a worker's own conversation ends with its task.
  if (!tools.some(({ name }) => name === "agent_create")) return WORKER_LINE;
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  const done = since.flatMap((message) => (message.role === "tool" ? [message] : []));
  const created = messages.some((message) => message.role === "tool" && message.tool === "agent_create");
  if (done.some(({ tool }) => tool === "delegate")) return LAST_LINE;
  if (!created && offers("agent_create"))
    return {
      text: `I do not read your message. I show what a turn looks like instead. First I create a worker named \`${WORKER}\`.`,
      call: {
        name: "agent_create",
        arguments: { name: WORKER, role: "You write short summaries.", model },
      },
    };
  if (offers("delegate"))
    return {
      text: `Now I delegate a task to \`${WORKER}\`. The wire from me to it is the permission to do so.`,
      call: { name: "delegate", arguments: { agent: WORKER, task: "Say what a workspace is." } },
    };
  return LAST_LINE;
}

const WORKER_LINE: Line = {
  text: "A workspace holds agents, their conversation and their files. The orchestrator talks to people and delegates to workers. Every step is recorded.",
};

const LAST_LINE: Line = {
  text: `That was a turn. Look at it from three sides:

| View | What it shows |
| --- | --- |
| **Blueprint** | the agents, and the wires between them |
| **Activity** | each model call, with its exact prompt |
| **Files** | what agents and people wrote here |

To get real answers, add a provider in **Models**, then choose its model with the chip beside **Send**.`,
};
