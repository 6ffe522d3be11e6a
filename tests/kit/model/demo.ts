// The scenario of the demo: an orchestrator that creates two workers, asks both at once and
// answers from what they said; asked about counting words, it forges a gear and calls it once it may; asked to note something, it has one worker
// write it to memory, and later the other one read and complete it. A function of the request alone: what to do next is read from
// the conversation and the tools on offer, so it holds for every further question.

import {
  callsOfConversation,
  callsOfTurn,
  type DoneCall,
  lastQuestion,
  type ModelRequest,
  objectOf,
} from "./conversation.ts";
import { call, type Reply, say, type SpeechOptions } from "./script.ts";
import type { ScriptedModel } from "./server.ts";

const DEMO_ORCHESTRATOR = "demo-orchestrator";
const DEMO_WORKER = "demo-worker";
/** The path of the notes of the demo's workers, as they call it. */
const DEMO_NOTES = "shared/decisions.md";

interface Colleague {
  name: string;
  role: string;
  task(question: string): string;
}

const COLLEAGUES: Colleague[] = [
  {
    name: "researcher",
    role: "You find the facts that a question needs, and say where they come from.",
    task: (question) => `Collect the facts for: ${question}`,
  },
  {
    name: "reviewer",
    role: "You look for what could be wrong or missing, and name it plainly.",
    task: (question) => `Say what to be careful about in: ${question}`,
  },
];

/** Serves both demo models; `everyMs` is the pace of the words. */
export function demoScript(model: ScriptedModel, everyMs = 15): void {
  model.on(DEMO_ORCHESTRATOR, (request) => demoOrchestrator(request, { everyMs }));
  model.on(DEMO_WORKER, (request) => demoWorker(request, { everyMs }));
}

export function demoOrchestrator(request: ModelRequest, pace: SpeechOptions = {}): Reply {
  const question = lastQuestion(request);
  const turn = callsOfTurn(request);
  if (/count the words/i.test(question)) return countWords(request, turn, question, pace);
  const asked = turn.filter((one) => one.name === "delegate" && one.result !== undefined);
  if (asked.length > 0) return say(finalAnswer(asked), pace);
  if (request.toolChoice === "none") return say("I have to stop here.", pace);
  const tasks = tasksOf(question);
  const known = colleaguesOf(request);
  const missing = COLLEAGUES.filter(({ name }) => !known.has(name));
  const triedCreating = turn.some((one) => one.name === "agent_create");
  if (missing.length > 0 && !triedCreating && offers(request, "agent_create")) {
    const names = missing.map(({ name }) => name).join(" and a ");
    const model = workerModel(request);
    const calls = missing.map(({ name, role }) => call("agent_create", { name, role, model }));
    return [say(`I need a ${names} for this, so I am creating them.`, pace), ...calls];
  }
  const ready = [...tasks].filter(([name]) => known.has(name));
  if (ready.length === 0) return say("I have nobody to ask, and no tool to create anyone.", pace);
  const calls = ready.map(([agent, task]) => call("delegate", { agent, task }));
  return [say(`I am asking ${calls.length === 1 ? "my colleague" : "both at once"}.`, pace), ...calls];
}

const NOTE = /^note for later: (.+)$/is;
const CHECK = "Check our notes, and add what is missing.";

/** Returns the workers and their tasks: usually both; a note is for one of them. */
function tasksOf(question: string): ReadonlyMap<string, string> {
  const note = NOTE.exec(question)?.[1];
  if (note !== undefined) return new Map([["researcher", `Note: ${note}`]]);
  if (/what we noted/i.test(question)) return new Map([["reviewer", CHECK]]);
  return new Map(COLLEAGUES.map(({ name, task }) => [name, task(question)]));
}

const GEAR = {
  name: "count_words",
  description: "Counts the words of a text",
  runtime: "node",
  code: `const { text } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));\nconsole.log(JSON.stringify({ words: text.split(/\\s+/).filter(Boolean).length }));\n`,
  args_schema: JSON.stringify({
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  }),
};

/** Calls the gear where it is offered, forges it where it is not, and says what came of it. */
function countWords(request: ModelRequest, turn: DoneCall[], question: string, pace: SpeechOptions): Reply {
  const done = turn.findLast((one) => one.result !== undefined);
  if (done?.name === GEAR.name) return say(`The gear answered: ${done.result?.text.trim()}`, pace);
  if (done?.name === "gear_forge") {
    return say("I forged a gear for it. It cannot run until a person has approved exactly this code.", pace);
  }
  if (offers(request, GEAR.name)) return [call(GEAR.name, { text: question })];
  return [say("There is no tool for this yet, so I am forging one.", pace), call("gear_forge", { ...GEAR })];
}

const NO_MEMORY = "I have no memory here, so I cannot keep notes.";
const CAUTION = "- Check the figures once more before the move.";

/** Writes a new document. If there is one, the refusal brings its version and content, and the note is added to it. */
function takeNote(request: ModelRequest, note: string, pace: SpeechOptions): Reply {
  if (!offers(request, "memory_write")) return say(NO_MEMORY, pace);
  const last = callsOfTurn(request).at(-1);
  if (last?.result === undefined)
    return call("memory_write", { name: DEMO_NOTES, content: `# Decisions\n\n- ${note}\n`, version: 0 });
  if (!last.result.error) return say(`I noted it in ${DEMO_NOTES}.`, pace);
  const [, version, content] = /is at version (\d+) now. Its content:\n\n(.*)$/s.exec(last.result.text) ?? [];
  if (content === undefined) return say(`I cannot write it: ${last.result.text}`, pace);
  return call("memory_write", {
    name: DEMO_NOTES,
    content: `${content}- ${note}\n`,
    version: Number(version),
  });
}

/** Reads what the other worker wrote, and writes the next version. */
function checkNotes(request: ModelRequest, pace: SpeechOptions): Reply {
  if (!offers(request, "memory_write")) return say(NO_MEMORY, pace);
  const last = callsOfTurn(request).at(-1);
  if (last?.result === undefined) return call("memory_read", { name: DEMO_NOTES });
  if (last.result.error) return say(`I cannot do it: ${last.result.text}`, pace);
  if (last.name === "memory_write") return say(`I read ${DEMO_NOTES} and added a caution.`, pace);
  const [, version, content] = /^\S+, version (\d+):\n\n(.*)$/s.exec(last.result.text) ?? [];
  if (content === undefined || content.includes(CAUTION)) return say("The notes are complete.", pace);
  return call("memory_write", {
    name: DEMO_NOTES,
    content: `${content}${CAUTION}\n`,
    version: Number(version),
  });
}

/** Two or three sentences on the task; the same task gets the same answer. */
export function demoWorker(request: ModelRequest, pace: SpeechOptions = {}): Reply {
  const task = lastQuestion(request);
  const note = /^Note: (.+)$/s.exec(task)?.[1];
  if (note !== undefined) return takeNote(request, note, pace);
  if (task === CHECK) return checkNotes(request, pace);
  const subject = (task.split(": ").slice(1).join(": ") || task).replace(/[?.!\s]+$/, "");
  if (/careful/i.test(task)) {
    return say(
      `Two things need care in "${subject}". The figures are a snapshot and should carry their date. One source alone is not enough for a decision.`,
      pace,
    );
  }
  return say(
    `On "${subject}" three facts stand out. The main one is well documented, the second follows from it, and the third is still open. All three can be checked in the public record.`,
    pace,
  );
}

function finalAnswer(asked: DoneCall[]): string {
  const parts = asked.map((one) => {
    const who = String(objectOf(one.args).agent);
    return `The ${who} reports: ${one.result?.text.trim()}`;
  });
  if (parts.length === 1) return parts[0]!;
  return `Here is what we found.\n\n${parts.join("\n\n")}\n\nTogether, this answers your question.`;
}

/** Names that can be delegated to: those the tool lists, and those just created. */
function colleaguesOf(request: ModelRequest): Set<string> {
  const schema = request.tools.find((tool) => tool.name === "delegate")?.schema;
  const listed = objectOf(objectOf(schema?.properties).agent).enum;
  const names = new Set(Array.isArray(listed) ? listed.map(String) : []);
  if (schema !== undefined && Array.isArray(listed)) return names;
  for (const one of callsOfConversation(request))
    if (one.name === "agent_create" && one.result?.error === false)
      names.add(String(objectOf(one.args).name));
  return names;
}

function offers(request: ModelRequest, tool: string): boolean {
  return request.tools.some(({ name }) => name === tool);
}

/** The worker's model as the tool names it: one of its list if there is a list. */
function workerModel(request: ModelRequest): string {
  const schema = request.tools.find((tool) => tool.name === "agent_create")?.schema;
  const listed = objectOf(objectOf(schema?.properties).model).enum;
  const names = Array.isArray(listed) ? listed.map(String) : [];
  return names.find((name) => name.includes("worker")) ?? DEMO_WORKER;
}
