// Delivers context into AI tools: lists them, and plans and makes the changes to their files. Every file is planned before the first is written,
// so that a file that must be refused leaves all of them as they are.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { commandText } from "../../kit/terminal/command-text.ts";
import { hasProgram, homeDirectory, type Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { blockOf, descriptorsOf, FALLBACK_ID, SESSION_HOOK, type Descriptor } from "./descriptors.ts";
import { hasBlock, withBlock, withoutBlock } from "./marked-block.ts";
import { hasHook, withHook, withoutHook, type HookCommand } from "./session-hook.ts";
import { deleteTarget, readLinkedTarget, readTarget, writeTarget, type TargetFile } from "./target-file.ts";

/** The place to deliver to: a project, or everything that this person works on. */
export type Scope = { readonly project: string } | { readonly user: true };

export interface Listed {
  readonly id: string;
  readonly tool: string;
  readonly detected: boolean;
  readonly how: string;
  /** Absolute. */
  readonly target: string;
  readonly installed: boolean;
  /** Why the file cannot be changed; null: it can. */
  readonly problem: string | null;
}

interface Delivery {
  /** The program, absolute. */
  readonly program: string;
  /** The flags that name the space, for any directory that the command runs in. */
  readonly spaceFlags: readonly string[];
  readonly space: string;
  /** The folder of a local space; undefined: the space is on a server. */
  readonly folder: string | undefined;
}

/** One file, and what becomes of it. */
export interface Change {
  readonly id: string;
  readonly tool: string;
  readonly action: "create" | "update" | "delete" | "none";
  readonly target: TargetFile;
  /** Undefined: no file. */
  readonly after: string | undefined;
}

export class Integrations {
  readonly #environment: Environment;
  readonly #system: string;

  constructor(environment: Environment, system: string = process.platform) {
    this.#environment = environment;
    this.#system = system;
  }

  async list(scope: Scope): Promise<Listed[]> {
    return Promise.all(this.#offered(undefined, scope).map((one) => this.#look(one, scope)));
  }

  /** The ids of the tools that are used here; those that read AGENTS.md if none is found. */
  detected(scope: Scope): string[] {
    const found = this.#offered(undefined, scope).filter((one) => this.#isDetected(one, scope));
    return found.length === 0 && "project" in scope ? [FALLBACK_ID] : [...new Set(found.map(({ id }) => id))];
  }

  /** Raises `invalid` for an unknown id, and for each file that cannot be changed. */
  async planInstall(ids: readonly string[], scope: Scope, delivery: Delivery): Promise<Change[]> {
    const texts = new DeliveredTexts(delivery, this.#system);
    return this.#plan(ids, scope, (one, text) =>
      one.how === SESSION_HOOK
        ? withHook(text, texts.hook)
        : withBlock(text, texts.blockBeside(hiddenBy(one, text, scope)), preambleOf(one, scope)),
    );
  }

  /**
   * `ids` undefined: all, without those whose file we would never have written, such as a link. Raises `invalid` for each file that cannot be
   * changed.
   */
  async planRemove(ids: readonly string[] | undefined, scope: Scope): Promise<Change[]> {
    return this.#plan(ids, scope, (one, text) => {
      if (text === undefined) return undefined;
      return one.how === SESSION_HOOK ? withoutHook(text) : withoutBlock(text, preambleOf(one, scope));
    });
  }

  async apply(changes: readonly Change[]): Promise<void> {
    for (const { action, target, after } of changes) {
      if (action === "none") continue;
      await (after === undefined ? deleteTarget(target) : writeTarget(target, after));
    }
  }

  async #plan(
    ids: readonly string[] | undefined,
    scope: Scope,
    become: (one: Descriptor, text: string | undefined) => string | undefined,
  ): Promise<Change[]> {
    const changes: Change[] = [];
    const refused: AppError[] = [];
    for (const one of this.#offered(ids, scope)) {
      let target: TargetFile | undefined;
      try {
        target = await this.#read(one, scope);
        const { text } = target;
        const after = named(target, () => become(one, text));
        const action = actionOf(text, after);
        changes.push({ id: one.id, tool: one.tool, action, target, after });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (ids === undefined && target === undefined) continue;
        refused.push(new AppError(error.code, error.message, { ...error.details, id: one.id }));
      }
    }
    if (refused.length > 0) throw together(refused);
    return changes;
  }

  async #look(one: Descriptor, scope: Scope): Promise<Listed> {
    const { id, tool, how } = one;
    const name = nameOf(one, scope);
    const detected = this.#isDetected(one, scope);
    const entry = { id, tool, detected, how, target: join(this.#root(scope), name) };
    try {
      const { text } = await this.#read(one, scope);
      const installed = text !== undefined && (how === SESSION_HOOK ? hasHook(text) : hasBlock(text));
      return { ...entry, installed, problem: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { ...entry, installed: false, problem: error.message };
    }
  }

  #offered(ids: readonly string[] | undefined, scope: Scope): readonly Descriptor[] {
    const asked = descriptorsOf(ids);
    if ("project" in scope) return asked.flatMap((one) => [one, ...overrideOf(one, scope.project)]);
    const without = asked.find(({ userTarget }) => userTarget === undefined);
    if (ids !== undefined && without)
      throw new AppError("invalid", `${without.id} has no file for all projects of a user; omit --user`);
    return asked.filter(({ userTarget }) => userTarget !== undefined);
  }

  #isDetected({ detect }: Descriptor, scope: Scope): boolean {
    const home = homeDirectory(this.#environment);
    return (
      ("project" in scope && detect.project.some((name) => existsSync(join(scope.project, name)))) ||
      detect.home.some((name) => existsSync(join(home, name))) ||
      detect.programs.some((name) => hasProgram(name, this.#environment))
    );
  }

  #read(one: Descriptor, scope: Scope): Promise<TargetFile> {
    const read = "project" in scope ? readTarget : readLinkedTarget;
    return read(this.#root(scope), nameOf(one, scope));
  }

  #root(scope: Scope): string {
    return "project" in scope ? scope.project : homeDirectory(this.#environment);
  }
}

/** The texts that are written into the files. */
class DeliveredTexts {
  readonly hook: HookCommand;
  readonly #block: string;

  constructor({ program, spaceFlags, space, folder }: Delivery, system: string) {
    const words = (...command: string[]) => [program, ...command, ...spaceFlags];
    const line = (...command: string[]) => commandText(words(...command), system);
    const inject = words("context", "inject", "--format", "claude-hook");
    // The shell that a hook gets on Windows differs from machine to machine; arguments pass none.
    this.hook =
      system === "win32"
        ? { command: program, args: inject.slice(1) }
        : { command: commandText(inject, system) };
    this.#block = blockOf({
      space,
      map: line("context", "inject", "--mode", "map"),
      search: line("search", "WORDS"),
      read: line("file", "get", "PATH"),
      where: folder === undefined ? "" : `The documents are also plain files below ${folder}.\n`,
    });
  }

  /** `hidden`: a file that the tool would read if the file with the block did not exist. */
  blockBeside(hidden: string | undefined): string {
    if (hidden === undefined) return this.#block;
    return `Read \`${hidden}\` in this folder first: its instructions apply to this project, too.\n\n${this.#block}`;
  }
}

/** The file that a tool reads in place of the target, if the project has it. We never create one: it would hide the target. */
function overrideOf(one: Descriptor, project: string): Descriptor[] {
  if (one.override === undefined || !existsSync(join(project, one.override.target))) return [];
  const { tool, target } = one.override;
  return [
    { ...one, tool, target, hides: [one.target], detect: { project: [target], home: [], programs: [] } },
  ];
}

/** Undefined: none, or the file has text of its own, so a person decided what it says. */
function hiddenBy(one: Descriptor, text: string | undefined, scope: Scope): string | undefined {
  if (!("project" in scope) || (text !== undefined && withoutBlock(text)?.trim())) return undefined;
  return one.hides?.find((name) => existsSync(join(scope.project, name)));
}

function nameOf({ target, userTarget }: Descriptor, scope: Scope): string {
  return "project" in scope ? target : (userTarget ?? target);
}

/** For a person's file for all projects, there is no place for one. */
function preambleOf({ preamble }: Descriptor, scope: Scope): string | undefined {
  return "project" in scope ? preamble : undefined;
}

function actionOf(before: string | undefined, after: string | undefined): Change["action"] {
  if (before === after) return "none";
  if (before === undefined) return "create";
  return after === undefined ? "delete" : "update";
}

/** All files that cannot be changed, at once. */
function together(refused: readonly AppError[]): AppError {
  const ids = refused.map(({ details }) => String(details?.["id"]));
  const problems = refused.map(({ message }) => message).join("; ");
  return new AppError(refused[0]!.code, `nothing was changed: ${problems}`, {
    ...(refused.length === 1 ? refused[0]!.details : {}),
    ids,
  });
}

/** Errors about the content name the file. */
function named<T>({ name }: TargetFile, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `${name}: ${error.message}`, { ...error.details, file: name });
  }
}
