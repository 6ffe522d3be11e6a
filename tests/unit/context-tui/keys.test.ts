// Goal: keys, text and the mouse are read from a terminal's bytes, wherever these are cut, and nothing else is taken for a key.

import { expect, test } from "bun:test";
import { Keys, type Input } from "../../../src/context/tui/keys.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const key = (name: string) => ({ kind: "key", key: name }) as Input;
const text = (character: string): Input => ({ kind: "text", text: character });
const pasted = (character: string): Input => ({ kind: "paste", text: character });

const CASES: readonly (readonly [string, readonly Input[]])[] = [
  ["ab", [text("a"), text("b")]],
  ["é日👍", [text("é"), text("日"), text("👍")]],
  ["\u001b[A\u001b[B\u001bOC\u001b[1;5D", [key("up"), key("down"), key("right"), key("left")]],
  ["\u001b[5~\u001b[6~\u001b[H\u001b[4~", [key("page-up"), key("page-down"), key("home"), key("end")]],
  ["\r\t\u001b[Z\u007f", [key("enter"), key("tab"), key("back-tab"), key("backspace")]],
  ["\u0003", [key("quit")]],
  ["\u001b[<0;5;3M\u001b[<0;5;3m", [{ kind: "click", row: 2, column: 4 }]],
  [
    "\u001b[<64;1;1M\u001b[<65;1;1M",
    [
      { kind: "wheel", by: -1 },
      { kind: "wheel", by: 1 },
    ],
  ],
  // Answers of a terminal, keys that mean nothing here, other mouse buttons.
  ["\u001b[?1;2c\u001b[15~\u001b[<2;1;1M\u0000\u0085", []],
  // Clicks of a terminal without SGR sequences, and a function key of the Linux console.
  ["\u001b[M xq\u001b[M#xqj\u001b[[A", [text("j")]],
  ["\u001bq", [key("escape"), text("q")]],
  ["\u001b[200~y\n\u001b[A\u001b[201~j", [pasted("y"), pasted(" "), text("j")]],
  ["\u001b[200~y\u0003", [pasted("y"), key("quit")]],
];

test.each(CASES)("reads %j", (bytes, expected) => {
  expect(new Keys().read(encode(bytes))).toEqual([...expected]);
});

test("reads the same byte by byte", () => {
  for (const [bytes, expected] of CASES) {
    const keys = new Keys();
    const read = [...encode(bytes)].flatMap((byte) => keys.read(new Uint8Array([byte])));
    expect(read).toEqual([...expected]);
  }
});

test("takes an escape for the key once nothing follows", () => {
  const keys = new Keys();
  expect([keys.read(encode("\u001b")), keys.isWaiting, keys.flush(), keys.isWaiting]).toEqual([
    [],
    true,
    [key("escape")],
    false,
  ]);
});

test("does not wait for the end of an endless sequence, and drops most of a flood", () => {
  const keys = new Keys();
  keys.read(encode(`\u001b[${"1".repeat(100)}`));
  expect(keys.isWaiting).toBe(false);
  expect(keys.read(encode("x".repeat(100_000))).length).toBe(2_000);
});

test("a pasted megabyte ends where it ends, and the key after it is a key", () => {
  const keys = new Keys();
  const bytes = encode(`\u001b[200~${"q\u001b[A".repeat(200_000)}\u001b[201~`);
  for (let at = 0; at < bytes.length; at += 30_001)
    expect(keys.read(bytes.subarray(at, at + 30_001)).filter(({ kind }) => kind !== "paste")).toEqual([]);
  expect(keys.read(encode("j"))).toEqual([text("j")]);
});
