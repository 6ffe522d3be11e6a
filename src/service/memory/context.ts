// Context in prompts: the documents that are bound to a workspace or an agent, and those of its memory. They are read once for each turn and
// agent; texts that did not change are not sent again. A document that cannot be read says so in its place.

import type { ReadDocument, UnreadDocument } from "../../context/library.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { AssemblyInput } from "../conversation/assembly.ts";
import type { BranchedWorkspace } from "../workspaces/access.ts";
import { nameOf, type AgentBranches, type Branches } from "./branches.ts";
import type { MemorySpace } from "./space.ts";
import type { MemoryStore } from "./store.ts";

/** Of all documents in one prompt. Further ones are named, and an agent can read them with a tool. */
const PROMPT_CHARACTERS_MAX = 200_000;
/** Texts kept between turns. */
const KEPT_CHARACTERS_MAX = 32 * 1024 * 1024;

type ContextPart = NonNullable<AssemblyInput["context"]>[number];

/** What is in front of an agent, and the state of the space that it was read from. */
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
      const known = Object.fromEntries([...this.#kept].map(([path, { hash }]) => [path, hash]));
      const wanted = (path: string) => bound.includes(path) || nameOf(own, path) !== undefined;
      const relevant = Object.fromEntries(Object.entries(known).filter(([path]) => wanted(path)));
      const query = { paths: bound, prefixes, known: relevant };
      const { name, answer } = await space.use(async (door) => ({
        name: door.name,
        answer: await door.documents(query),
      }));
      const parts = this.#parts(bound, own, answer.documents, answer.unread, answer.omitted);
      return { parts, read: { space: name, head: answer.head } };
    } catch (error) {
      if (!(error instanceof AppError)) log.error("cannot read context", { error: messageOf(error) });
      const reason = error instanceof AppError ? error.message : "internal error";
      return { parts: bound.map((path) => missingPart(path, reason)) };
    }
  }

  #parts(
    bound: readonly string[],
    own: AgentBranches,
    documents: readonly ReadDocument[],
    unread: readonly UnreadDocument[],
    omitted: number,
  ): ContextPart[] {
    const byPath = new Map(documents.map((one) => [one.path, one]));
    const problems = new Map(unread.map(({ path, problem }) => [path, problem.message]));
    const rest = documents.map(({ path }) => path).filter((path) => !bound.includes(path));
    const parts: ContextPart[] = [];
    const cut: string[] = [];
    let characters = 0;
    for (const path of [...bound, ...rest]) {
      const document = byPath.get(path);
      const text = document && this.#textOf(document);
      if (!document || text === undefined) {
        parts.push(missingPart(path, problems.get(path) ?? "it cannot be read"));
        continue;
      }
      characters += text.length;
      if (characters > PROMPT_CHARACTERS_MAX) cut.push(nameOf(own, path) ?? path);
      else parts.push(partOf(document, text, nameOf(own, path)));
    }
    const left = cut.length + omitted;
    if (left > 0) parts.push(cutPart(cut, left));
    return parts;
  }

  #textOf({ path, hash, text }: ReadDocument): string | undefined {
    const kept = this.#kept.get(path);
    const found = text ?? (kept?.hash === hash ? kept.text : undefined);
    if (kept) {
      this.#kept.delete(path);
      this.#keptCharacters -= kept.text.length;
    }
    if (found === undefined) return undefined;
    this.#kept.set(path, { hash, text: found });
    this.#keptCharacters += found.length;
    for (const [oldest, { text: old }] of this.#kept) {
      if (this.#keptCharacters <= KEPT_CHARACTERS_MAX || oldest === path) break;
      this.#kept.delete(oldest);
      this.#keptCharacters -= old.length;
    }
    return found;
  }
}

function partOf({ path, version, hash }: ReadDocument, text: string, name: string | undefined): ContextPart {
  const at = version === null ? "edited" : `v${version}`;
  const called = name === undefined ? path : `${path} (in your memory: ${name})`;
  return {
    source: `context:${path}@${at}`,
    text: `Document ${called}, version ${version ?? "not recorded"}:\n\n${text}`,
    document: { path, version, hash, bytes: Buffer.byteLength(text) },
  };
}

function missingPart(path: string, reason: string): ContextPart {
  return {
    source: `context:${path}`,
    text: `(The document ${path} is bound here and cannot be read now: ${reason})`,
  };
}

const NAMES_MAX = 50;

function cutPart(names: readonly string[], count: number): ContextPart {
  const shown = names.slice(0, NAMES_MAX).join(", ");
  const text = `(${count} more documents are too long for this prompt${shown === "" ? "" : `: ${shown}`}. Read one with memory_read.)`;
  return { source: "context:omitted", text };
}
