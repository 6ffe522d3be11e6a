// The files attached to the message being written: uploaded at once, kept in this browser until the message is sent.

import { createSignal, onCleanup } from "solid-js";
import type {
  Attachment,
  ChatAttachment,
  MessageAttachment,
} from "../../../src/service/attachments/schema.ts";
import { asProblem } from "../../api/problem.ts";
import { upload } from "../../api/upload.ts";
import { keep, remember } from "../../kit/storage.ts";
import { scaled } from "./scaled-image.ts";

/** The server's limits (attachments/schema.ts); it checks them again. */
const FILES_MAX = 10;
const FILE_BYTES_MAX = 16 * 1024 * 1024;
/** The same file would get the same answer. */
const REFUSALS: ReadonlySet<string> = new Set(["invalid", "too_large", "not_text", "refused"]);

interface UploadProblem {
  readonly text: string;
  /** Whether the same file may be accepted later. */
  readonly passing: boolean;
}

export interface AttachedFile {
  readonly key: number;
  readonly name: string;
  readonly bytes: number;
  /** The share that was sent, from 0 to 1. */
  readonly share: number;
  readonly attachment: Attachment | undefined;
  readonly problem: UploadProblem | undefined;
  /** Undefined for one that is on the server already. */
  readonly file: File | undefined;
}

export type Attaching = ReturnType<typeof createAttaching>;

interface Kept {
  readonly files: readonly Attachment[];
  readonly untrusted: boolean;
}

export function createAttaching(userId: number, workspaceId: number) {
  const list = createFileList(`attached.${userId}.${workspaceId}`);
  const { files, untrusted } = list;
  const [said, say] = createSignal("");
  const uploads = createUploads(workspaceId, list, say);
  return {
    files,
    untrusted,
    /** For screen readers. */
    said,
    setUntrusted: list.setUntrusted,
    has: () => files().length > 0,
    failed: () => files().some(({ problem }) => problem !== undefined),
    add(more: readonly File[]) {
      for (const file of more) {
        const full = files().length >= FILES_MAX;
        const problem = full
          ? { text: `A message takes at most ${FILES_MAX} attachments.`, passing: true }
          : undefined;
        const key = list.add({
          name: file.name,
          bytes: file.size,
          share: 0,
          attachment: undefined,
          problem,
          file,
        });
        if (!full) uploads.begin(key, file);
      }
    },
    retry(key: number) {
      const file = list.of(key)?.file;
      if (file) uploads.begin(key, file);
    },
    remove(key: number) {
      const found = list.of(key);
      uploads.abort(key);
      list.remove(key);
      say(found ? `${found.name} removed` : "");
    },
    /** Of an earlier message that is written again; the files of the draft are set aside meanwhile. */
    revise(attachments: readonly MessageAttachment[]) {
      list.setAside();
      for (const one of attachments) list.add(known({ ...one, created_at: "" }));
      list.setUntrusted(attachments.some((one) => one.untrusted));
    },
    /** The files that were set aside return, in place of those of the earlier message. */
    endRevision: () => list.takeBack({ instead: true }),
    /** Of a message that returns to the composer, beside the files that are there. */
    take(attachments: readonly MessageAttachment[]) {
      const there = new Set(files().map(({ attachment }) => attachment?.hash));
      for (const one of attachments) if (!there.has(one.hash)) list.add(known({ ...one, created_at: "" }));
      if (attachments.length > 0) list.setUntrusted(untrusted() || attachments.some((one) => one.untrusted));
    },
    /** Resolves when no upload is running, with what the message names, and what to call once the message is sent. */
    async settled(): Promise<{ readonly named: ChatAttachment[]; readonly sent: () => void }> {
      await uploads.over();
      const done = files().flatMap(({ attachment, name, key }) =>
        attachment ? [{ key, named: { hash: attachment.hash, name, untrusted: untrusted() } }] : [],
      );
      const keys = new Set(done.map(({ key }) => key));
      return { named: done.map(({ named }) => named), sent: () => (list.removeAll(keys), list.takeBack()) };
    },
  };
}

function known(attachment: Attachment): Omit<AttachedFile, "key"> {
  const { name, bytes } = attachment;
  return { name, bytes, share: 1, attachment, problem: undefined, file: undefined };
}

/** Those that are on the server survive a reload. */
function createFileList(name: string) {
  const kept = remember<Kept>(name);
  let lastKey = 0;
  const [files, setFiles] = createSignal<readonly AttachedFile[]>(
    kept?.files.map((one) => ({ ...known(one), key: ++lastKey })) ?? [],
  );
  const [untrusted, setUntrusted] = createSignal(kept?.untrusted ?? false);
  /** Of the draft, while an earlier message is written again. */
  let aside: { readonly files: readonly AttachedFile[]; readonly untrusted: boolean } | undefined;
  const write = () => {
    const done = [...(aside?.files ?? []), ...files()].flatMap(({ attachment }) => attachment ?? []);
    const mark = untrusted() || aside?.untrusted === true;
    keep(name, done.length === 0 ? undefined : { files: done, untrusted: mark });
  };
  return {
    files,
    untrusted,
    of: (key: number) => files().find((one) => one.key === key),
    setUntrusted: (value: boolean) => (setUntrusted(value), write()),
    /** Returns the key of the file. */
    add(file: Omit<AttachedFile, "key">): number {
      const key = ++lastKey;
      setFiles((all) => [...all, { ...file, key }]);
      return key;
    },
    change(key: number, fields: Partial<AttachedFile>) {
      const changed = (all: readonly AttachedFile[]) =>
        all.map((one) => (one.key === key ? { ...one, ...fields } : one));
      setFiles(changed);
      if (aside) aside = { ...aside, files: changed(aside.files) };
      if (fields.attachment) write();
    },
    remove: (key: number) => (setFiles((all) => all.filter((one) => one.key !== key)), write()),
    /** Files that were added meanwhile stay. */
    removeAll(keys: ReadonlySet<number>) {
      setFiles((all) => all.filter(({ key }) => !keys.has(key)));
      if (files().length === 0) setUntrusted(false);
      write();
    },
    setAside() {
      aside ??= { files: files(), untrusted: untrusted() };
      setFiles([]);
    },
    takeBack({ instead = false } = {}) {
      if (!aside) return;
      const { files: before, untrusted: mark } = aside;
      aside = undefined;
      setFiles((now) => (instead ? before : [...before, ...now]));
      setUntrusted(mark || (!instead && untrusted()));
      write();
    },
  };
}

function createUploads(
  workspaceId: number,
  { change }: Pick<ReturnType<typeof createFileList>, "change">,
  say: (words: string) => void,
) {
  const running = new Map<number, { readonly abort: () => void; readonly over: Promise<void> }>();
  const send = async (key: number, file: File, aborted: AbortSignal) => {
    try {
      const small = await scaled(file);
      const path = `/workspaces/${workspaceId}/attachments?name=${encodeURIComponent(small.name)}`;
      const attachment = await upload<Attachment>(path, small, aborted, (share) => change(key, { share }));
      if (!attachment) return;
      change(key, { attachment, name: attachment.name, bytes: attachment.bytes, share: 1 });
      say(`${attachment.name} attached`);
    } catch (error) {
      const { message, code } = asProblem(error);
      change(key, { problem: { text: message, passing: !REFUSALS.has(code) } });
    } finally {
      running.delete(key);
    }
  };
  const abort = (key: number) => running.get(key)?.abort();
  onCleanup(() => running.forEach((one) => one.abort()));
  return {
    abort,
    begin(key: number, file: File) {
      change(key, { problem: undefined, share: 0 });
      if (file.size > FILE_BYTES_MAX && !file.type.startsWith("image/"))
        return change(key, { problem: { text: `${file.name}: larger than 16 MiB`, passing: false } });
      const stop = new AbortController();
      running.set(key, { abort: () => stop.abort(), over: send(key, file, stop.signal) });
    },
    async over() {
      while (running.size > 0) await Promise.allSettled([...running.values()].map(({ over }) => over));
    },
  };
}
