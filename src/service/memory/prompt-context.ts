// Context in prompts: the documents that are bound to a workspace or an agent, and those of its memory. They are read once for each turn and
// agent; texts that did not change are not sent again. A document that cannot be read says so in its place.

import type { ReadDocument, UnreadDocument } from "../../context/library.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { plural } from "../../kit/text/amounts.ts";
import type { AssemblyInput } from "../conversation/assembly.ts";
import type { BranchedWorkspace } from "../workspaces/access.ts";
import { nameOf, type AgentBranches, type Branches } from "./branches.ts";
import type { MemorySpace } from "./space.ts";
import type { MemoryStore } from "./store.ts";

/** Of all documents in one prompt. Further ones are named, and an agent can read them with a tool. */
const PROMPT_CHARACTERS_MAX = 200_000;
/** Texts kept between turns. The parts made of them take as much again. */
const KEPT_CHARACTERS_MAX = 16 * 1024 * 1024;

type ContextPart = NonNullable<AssemblyInput["context"]>[number];

/** The documents in an agent's prompt, and the state of the space that they were read from. */
export interface Front {
  readonly parts: readonly ContextPart[];
  /** Undefined: there is no space, or it does not answer. */
  readonly read?: { readonly space: string; readonly head: string };
}

interface ContextDeps {
  readonly space: MemorySpace;
  readonly store: MemoryStore;
  readonly branches: Branches;
  readonly log: Log;
}

interface Kept {
  readonly hash: string;
  readonly text: string;
  /** The last part made of it, so that unchanged prompts consist of the same objects. */
  part?: { readonly version: number | null; readonly name: string | undefined; readonly made: ContextPart };
}

interface Found {
  readonly documents: readonly ReadDocument[];
  readonly unread: readonly UnreadDocument[];
  readonly omitted: number;
}

export class PromptContext {
  readonly #deps: ContextDeps;
  /** By path, the longest unused first. */
  readonly #kept = new Map<string, Kept>();
  #keptCharacters = 0;

  constructor(deps: ContextDeps) {
    this.#deps = deps;
  }

  /** Returns the parts in the order of the prompt: bound documents, then those of the memory. Never raises for a document or a missing space. */
  async of(
    workspace: BranchedWorkspace,
    agent: { readonly id: number; readonly name: string },
  ): Promise<Front> {
    const { space, store, branches, log } = this.#deps;
    const bound = store.pathsFor.all(workspace.id, agent.id).map(({ path }) => path);
    const { obstacle } = space;
    if (obstacle) return { parts: bound.map((path) => missingPart(path, obstacle.message)) };
    try {
      const own = await branches.of(workspace, agent);
      const prefixes = [own.shared, own.own];
      const query = { paths: bound, prefixes, known: this.#knownOf(new Set(bound), own) };
      const { name, answer } = await space.use(async (door) => ({
        name: door.name,
        answer: await door.documents(query),
      }));
      const parts = this.#parts(bound, own, answer);
      return { parts, read: { space: name, head: answer.head } };
    } catch (error) {
      if (!(error instanceof AppError)) log.error("cannot read context", { error: messageOf(error) });
      const reason = error instanceof AppError ? error.message : "internal error";
      return { parts: bound.map((path) => missingPart(path, reason)) };
    }
  }

  /** Hashes of the texts that are kept, of those that this prompt may need. */
  #knownOf(bound: ReadonlySet<string>, own: AgentBranches): Record<string, string> {
    const known: Record<string, string> = {};
    for (const [path, { hash }] of this.#kept)
      if (bound.has(path) || nameOf(own, path) !== undefined) known[path] = hash;
    return known;
  }

  #parts(bound: readonly string[], own: AgentBranches, { documents, unread, omitted }: Found): ContextPart[] {
    const byPath = new Map(documents.map((one) => [one.path, one]));
    const problems = new Map(unread.map(({ path, problem }) => [path, problem.message]));
    const isBound = new Set(bound);
    const rest = documents.map(({ path }) => path).filter((path) => !isBound.has(path));
    const parts: ContextPart[] = [];
    const cut: string[] = [];
    let characters = 0;
    for (const path of [...bound, ...rest]) {
      const document = byPath.get(path);
      const kept = document && this.#keptOf(document);
      if (!document || !kept) {
        parts.push(missingPart(path, problems.get(path) ?? "it cannot be read"));
        continue;
      }
      characters += kept.text.length;
      if (characters > PROMPT_CHARACTERS_MAX) cut.push(nameOf(own, path) ?? path);
      else parts.push(partOf(document, kept, nameOf(own, path)));
    }
    const left = cut.length + omitted;
    if (left > 0) parts.push(cutPart(cut, left));
    return parts;
  }

  /** Undefined: the text did not come, and is not kept. */
  #keptOf({ path, hash, text }: ReadDocument): Kept | undefined {
    const before = this.#kept.get(path);
    const isSame = before?.hash === hash;
    if (text === undefined && !isSame) return undefined;
    const kept = isSame ? before : { hash, text: text! };
    if (before) {
      this.#kept.delete(path);
      this.#keptCharacters -= before.text.length;
    }
    this.#kept.set(path, kept);
    this.#keptCharacters += kept.text.length;
    for (const [oldest, { text: old }] of this.#kept) {
      if (this.#keptCharacters <= KEPT_CHARACTERS_MAX || oldest === path) break;
      this.#kept.delete(oldest);
      this.#keptCharacters -= old.length;
    }
    return kept;
  }
}

function partOf({ path, version, hash }: ReadDocument, kept: Kept, name: string | undefined): ContextPart {
  const { text, part } = kept;
  if (part && part.version === version && part.name === name) return part.made;
  const at = version === null ? "edited" : `v${version}`;
  const called = name === undefined ? path : `${path} (in your memory: ${name})`;
  const made: ContextPart = {
    kind: "context",
    source: `context:${path}@${at}`,
    text: `Document ${called}, version ${version ?? "not recorded"}:\n\n${text}`,
    document: { path, version, hash, bytes: Buffer.byteLength(text) },
  };
  kept.part = { version, name, made };
  return made;
}

function missingPart(path: string, reason: string): ContextPart {
  return {
    kind: "context",
    source: `context:${path}`,
    text: `(The document ${path} is bound here and cannot be read now: ${reason})`,
    unread: { path, reason },
  };
}

const NAMES_MAX = 50;

function cutPart(names: readonly string[], count: number): ContextPart {
  const shown = names.slice(0, NAMES_MAX).join(", ");
  const text = `(${plural(count, "more document is", "more documents are")} too long for this prompt${shown === "" ? "" : `: ${shown}`}. Read one with memory_read.)`;
  return { kind: "context", source: "context:omitted", text };
}
