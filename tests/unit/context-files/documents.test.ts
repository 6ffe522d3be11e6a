// Goal: the answer with many documents keeps its limit, whatever the characters of the texts.

import { expect, test } from "bun:test";
import { documentsOf, ANSWER_BYTES_MAX, TOGETHER_BYTES_MAX } from "../../../src/context/files/documents.ts";
import type { Caller } from "../../../src/context/identity/caller.ts";
import { fileError } from "../../../src/context/versioned-store/file-error.ts";

const CALLER = {} as Caller;

/** Each of the files has this text. */
const filesWith = (text: string) => ({
  list: async () => [],
  record: async (_caller: Caller, _space: string, path: string) => {
    throw fileError("not_found", path, "is not asked for");
  },
  read: async (_caller: Caller, _space: string, path: string) => ({
    path,
    version: 1,
    bytes: new TextEncoder().encode(text),
  }),
});

test.each([
  ["of one byte", "a", 1],
  ["of three bytes", "木", 3],
  ["of four bytes", "𐂂", 4],
])("with characters %s, an answer is full at 4 MiB", async (_, character, bytesEach) => {
  const text = character.repeat(Math.floor(TOGETHER_BYTES_MAX / bytesEach));
  const fitting = Math.ceil(ANSWER_BYTES_MAX / Buffer.byteLength(text));
  const paths = Array.from({ length: 40 }, (_path, index) => `${index}.md`);
  const answer = await documentsOf(filesWith(text), CALLER, "team", { paths });
  expect([answer.documents.length, answer.omitted]).toEqual([fitting, 40 - fitting]);
  expect(answer.unread).toEqual([]);
});
