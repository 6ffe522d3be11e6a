// One open file: what the server has, what stands in the editor, and the version that it stands on. What somebody else saves meanwhile is
// taken over where nothing was typed, and never over what was typed.

import { type Accessor, createMemo, createSignal } from "solid-js";
import type { FileContent, SavedFile } from "../../../src/service/files/schema.ts";
import { api, take } from "../../api/client.ts";
import { asProblem, Problem } from "../../api/problem.ts";
import { bytes, count } from "../../kit/format.ts";
import type { Drafts } from "./drafts.ts";

/** The server's limit for a file that can be edited. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;

export interface FileDocument {
  readonly path: string;
  /** It was read; there is something to show. */
  readonly ready: Accessor<boolean>;
  /** The newest saved version that we know of; undefined: there is no such file. */
  readonly saved: Accessor<FileContent | undefined>;
  readonly text: Accessor<string>;
  /** The text is not what is saved. */
  readonly edited: Accessor<boolean>;
  readonly readOnly: Accessor<boolean>;
  /** Somebody saved another version than the one under the text that was typed. */
  readonly outrun: Accessor<boolean>;
  /** The version that was taken over by itself since it was opened or changed here. */
  readonly takenOver: Accessor<string | undefined>;
  readonly busy: Accessor<boolean>;
  /** Why it could not be read or saved. */
  readonly problem: Accessor<Problem | undefined>;
  /** The two versions are to be compared before it is saved. */
  readonly comparing: Accessor<boolean>;
  readonly compare: (on: boolean) => void;
  readonly type: (text: string) => void;
  /** Reads what the server has now. */
  readonly read: () => Promise<void>;
  readonly save: () => Promise<void>;
  /** Saves the text in place of `saved`, which the person has seen. */
  readonly overwrite: () => Promise<void>;
  readonly takeSaved: () => void;
}

export function createDocument(workspaceId: number, path: string, drafts: Drafts): FileDocument {
  const [ready, setReady] = createSignal(false);
  const [saved, setSaved] = createSignal<FileContent>();
  const [text, setText] = createSignal("");
  const [base, setBase] = createSignal<string | null>(null);
  const [takenOver, setTakenOver] = createSignal<string>();
  const [busy, setBusy] = createSignal(false);
  const [problem, setProblem] = createSignal<Problem>();
  const [comparing, setComparing] = createSignal(false);
  const edited = createMemo(() => ready() && text() !== saved()?.content);
  const readOnly = createMemo(() => saved()?.read_only === true && !edited());
  const outrun = createMemo(() => edited() && base() !== (saved()?.version ?? null));

  const stand = (on: FileContent | undefined, withText: string) => {
    setSaved(on);
    setBase(on?.version ?? null);
    setText(withText);
    if (on !== undefined && withText === on.content) drafts.drop(path);
  };
  const open = (now: FileContent | undefined) => {
    const draft = now?.read_only ? undefined : drafts.get(path);
    stand(now, draft?.text ?? now?.content ?? "");
    if (draft && draft.text !== now?.content) setBase(draft.version);
    setReady(true);
  };
  const follow = (now: FileContent | undefined) => {
    if (now === undefined || (edited() && text() !== now.content)) return void setSaved(now);
    if (now.version !== saved()?.version) setTakenOver(now.version);
    stand(now, now.content);
  };
  const read = async () => {
    setProblem(undefined);
    try {
      const now = await ask(workspaceId, path);
      if (ready()) follow(now);
      else open(now);
    } catch (error) {
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
      requireSize(sent);
      const answer = await put(workspaceId, path, sent, version);
      const typedMeanwhile = text();
      stand({ ...answer, content: sent }, typedMeanwhile);
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
  return {
    path,
    ready,
    saved,
    text,
    edited,
    readOnly,
    outrun,
    takenOver,
    busy,
    problem,
    comparing,
    compare: setComparing,
    type: (typed) => {
      if (typed === text()) return;
      setText(typed);
      setTakenOver(undefined);
      if (typed === saved()?.content) stand(saved(), typed);
      else drafts.set(path, { text: typed, version: base() });
    },
    read,
    save: async () => {
      if (!edited()) return;
      if (outrun()) setComparing(true);
      else await send(base());
    },
    overwrite: () => send(saved()?.version ?? null),
    takeSaved: () => {
      const now = saved();
      if (now) stand(now, now.content);
      setComparing(false);
    },
  };
}

function ask(id: number, path: string): Promise<FileContent> {
  return take(api.workspaces({ id }).file.get({ query: { path } }));
}

/** `version` null: only if there is no such file. The body is the text itself, of which the route's schema says nothing. */
async function put(id: number, path: string, text: string, version: string | null): Promise<SavedFile> {
  const headers: Record<string, string> =
    version === null ? { "if-none-match": "*" } : { "if-match": `"${version}"` };
  return take(api.workspaces({ id }).file.put(text as never, { query: { path }, headers } as never));
}

/** The server refuses it as well, but a browser that is cut off while it sends may not hear why. Raises `too_large`. */
function requireSize(text: string): void {
  const size = new Blob([text]).size;
  if (size > FILE_BYTES_MAX)
    throw new Problem(
      `This text has ${count(size)} bytes. Up to ${bytes(FILE_BYTES_MAX)} (${count(FILE_BYTES_MAX)} bytes) can be saved.`,
      "too_large",
    );
}
