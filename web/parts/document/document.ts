// One open text: the saved content, the edited text, and the version that the text is based on. A save by someone else replaces an unedited
// text, never an edited one.

import { type Accessor, createMemo, createSignal } from "solid-js";
import { asProblem, Problem } from "../../api/problem.ts";
import { createProblem } from "../../api/reach.ts";
import { bytes, count } from "../../kit/format.ts";
import { createSaves } from "../../kit/save-key.ts";
import type { Drafts } from "./drafts.ts";

/** A saved version of a text. */
export interface SavedText extends SavedVersion {
  readonly content: string;
  /** Only the head of a file that is too long to edit. */
  readonly read_only: boolean;
}

interface SavedVersion {
  readonly version: string;
  /** Bytes. */
  readonly size: number;
}

/** Reads and saves a text. */
export interface TextSource<T extends SavedText = SavedText> {
  /** Raises `Problem` with `not_found` if there is none. */
  readonly read: () => Promise<T>;
  /** Saves if `version` is still the saved one; null: if there is none. Raises `Problem` with `stale`. Returns what was saved. */
  readonly write: (text: string, version: string | null) => Promise<T>;
  readonly bytesMax: number;
}

export interface TextDocument<T extends SavedText = SavedText> {
  readonly path: string;
  /** Whether it was read. */
  readonly ready: Accessor<boolean>;
  /** The newest known saved version; undefined if the file does not exist. */
  readonly saved: Accessor<T | undefined>;
  readonly text: Accessor<string>;
  /** Whether the text differs from the saved content. */
  readonly edited: Accessor<boolean>;
  readonly readOnly: Accessor<boolean>;
  /** Whether someone saved a version newer than the base of the edits. */
  readonly outrun: Accessor<boolean>;
  /** A version by someone else that has replaced the unedited text. */
  readonly takenOver: Accessor<string | undefined>;
  readonly busy: Accessor<boolean>;
  /** Why reading or saving failed. */
  readonly problem: Accessor<Problem | undefined>;
  /** Whether both versions are shown before saving. */
  readonly comparing: Accessor<boolean>;
  readonly compare: (on: boolean) => void;
  readonly type: (text: string) => void;
  /** Reads the current version from the server. */
  readonly read: () => Promise<void>;
  /** While a save is on its way, what has been typed since is saved after it. */
  readonly save: () => Promise<void>;
  /** Overwrites `saved`, which the person has seen, with the text. */
  readonly overwrite: () => Promise<void>;
  readonly takeSaved: () => void;
}

type Text<T extends SavedText> = ReturnType<typeof createText<T>>;

/** The saved content, the edited text, and the version that the text is based on. */
function createText<T extends SavedText>(path: string, drafts: Drafts) {
  const [ready, setReady] = createSignal(false);
  const [saved, setSaved] = createSignal<T>();
  const [text, setText] = createSignal("");
  const [base, setBase] = createSignal<string | null>(null);
  const [takenOver, setTakenOver] = createSignal<string>();
  const edited = createMemo(() => ready() && text() !== saved()?.content);
  const readOnly = createMemo(() => saved()?.read_only === true && !edited());
  const outrun = createMemo(() => edited() && base() !== (saved()?.version ?? null));

  const stand = (on: T | undefined, withText: string) => {
    setSaved(() => on);
    setBase(on?.version ?? null);
    setText(withText);
    if (on !== undefined && withText === on.content) drafts.drop(path);
  };
  const open = (now: T | undefined) => {
    const draft = now?.read_only ? undefined : drafts.get(path);
    stand(now, draft?.text ?? now?.content ?? "");
    if (draft && draft.text !== now?.content) setBase(draft.version);
    setReady(true);
  };
  const follow = (now: T | undefined) => {
    if (now === undefined || (edited() && text() !== now.content)) return void setSaved(() => now);
    if (now.version !== saved()?.version) setTakenOver(now.version);
    stand(now, now.content);
  };
  const type = (typed: string) => {
    if (typed === text()) return;
    setText(typed);
    setTakenOver(undefined);
    if (typed === saved()?.content) stand(saved(), typed);
    else drafts.set(path, { text: typed, version: base() });
  };
  const shown = { ready, saved, text, edited, readOnly, outrun, takenOver };
  return { shown, base, setTakenOver, stand, open, follow, type };
}

export function createDocument<T extends SavedText>(
  path: string,
  source: TextSource<T>,
  drafts: Drafts,
): TextDocument<T> {
  const document = createText<T>(path, drafts);
  const [comparing, setComparing] = createSignal(false);
  const exchange = createExchange({ source, path, drafts, document, setComparing });
  const { saved, edited, outrun } = document.shown;
  const saves = createSaves(
    () => exchange.send(document.base()),
    () => edited() && !outrun() && exchange.problem() === undefined,
  );
  return {
    path,
    ...document.shown,
    busy: exchange.busy,
    problem: exchange.problem,
    comparing,
    compare: setComparing,
    type: document.type,
    read: exchange.read,
    save: async () => {
      if (exchange.busy()) saves.again();
      else if (edited() && outrun()) setComparing(true);
      else if (edited()) await saves.run();
    },
    overwrite: () => exchange.send(saved()?.version ?? null),
    takeSaved: () => {
      const now = saved();
      if (now) document.stand(now, now.content);
      setComparing(false);
    },
  };
}

/** Reads the text from its source, and saves it there. An answer that was asked for earlier never replaces a newer one. */
function createExchange<T extends SavedText>(of: {
  readonly source: TextSource<T>;
  readonly path: string;
  readonly drafts: Drafts;
  readonly document: Text<T>;
  readonly setComparing: (on: boolean) => void;
}) {
  const { source, path, drafts, setComparing } = of;
  const { stand, open, follow, setTakenOver } = of.document;
  const { ready, text, edited, outrun } = of.document.shown;
  const [busy, setBusy] = createSignal(false);
  const [problem, setProblem] = createProblem();
  let asked = 0;
  const read = async () => {
    const turn = (asked += 1);
    setProblem(undefined);
    try {
      const now = await source.read();
      if (turn !== asked) return;
      if (ready()) follow(now);
      else open(now);
    } catch (error) {
      if (turn !== asked) return;
      const why = asProblem(error);
      const mine = ready() ? edited() : drafts.get(path) !== undefined;
      if (why.code !== "not_found" || !mine) return void setProblem(why);
      if (ready()) follow(undefined);
      else open(undefined);
    }
  };
  const send = async (version: string | null) => {
    if (busy()) return;
    const sent = text();
    setBusy(true);
    setProblem(undefined);
    try {
      requireSize(sent, source.bytesMax);
      const answer = await source.write(sent, version);
      asked += 1;
      const typedMeanwhile = text();
      stand(answer, typedMeanwhile);
      if (typedMeanwhile !== sent) drafts.set(path, { text: typedMeanwhile, version: answer.version });
      setTakenOver(undefined);
      setComparing(false);
    } catch (error) {
      const why = asProblem(error);
      if (why.code !== "stale") return void setProblem(why);
      await read();
      setComparing(outrun());
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, read, send };
}

/** The server checks this, too, but a browser that is cut off while sending may not receive the reason. Raises `too_large`. */
function requireSize(text: string, bytesMax: number): void {
  const size = new Blob([text]).size;
  if (size > bytesMax)
    throw new Problem(
      `The text has ${count(size)} bytes. The limit is ${bytes(bytesMax)} (${count(bytesMax)} bytes).`,
      "too_large",
    );
}
