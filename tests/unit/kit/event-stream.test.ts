// Goal: events come out of a stream as they went in, whatever its line endings, comments and borders between reads; a large one is refused.

import { expect, test } from "bun:test";
import { EVENT_CHARACTERS_MAX, EventStream } from "../../../src/kit/network/event-stream.ts";
import { piecesOf } from "../llm/oracle.ts";

const tooLarge = (charactersMax: number) => new Error(`more than ${charactersMax} characters`);

/** As `type:data`. */
function eventsOf(pieces: readonly Uint8Array[]): string[] {
  const events: string[] = [];
  const stream = new EventStream((data, type) => events.push(`${type}:${data}`), tooLarge);
  for (const piece of pieces) stream.push(piece);
  stream.end();
  return events;
}

const CASES: [name: string, body: string, events: string[]][] = [
  ["one event", "data: a\n\n", [":a"]],
  ["a type", "event: error\ndata: a\n\ndata: b\n\n", ["error:a", ":b"]],
  ["several lines of data", "data: a\ndata:b\ndata\ndata:  c\n\n", [":a\nb\n\n c"]],
  ["comments and other fields", ": hi\n\nid: 1\nretry: 5\ndata: a\nx: y\n\n", [":a"]],
  ["carriage returns with line feeds", "data: a\r\n\r\ndata: b\r\n\r\n", [":a", ":b"]],
  ["carriage returns alone", "data: a\r\rdata: b\r\r", [":a", ":b"]],
  ["a byte order mark", "\uFEFFdata: a\n\n", [":a"]],
  ["characters of several bytes", "data: ä…🙂\n\n", [":ä…🙂"]],
  ["no blank line at the end", "data: a\n\ndata: b", [":a", ":b"]],
  ["events without data", "event: ping\n\ndata:\n\ndata: a\n\n", [":a"]],
];

test.each(CASES)("%s, split at every byte", (_, body, events) => {
  const { length } = new TextEncoder().encode(body);
  expect(eventsOf(piecesOf(body))).toEqual(events);
  for (let cut = 1; cut < length; cut++) expect(eventsOf(piecesOf(body, [cut]))).toEqual(events);
  const everywhere = Array.from({ length }, (_byte, cut) => cut);
  expect(eventsOf(piecesOf(body, everywhere))).toEqual(events);
});

test("an event ends with its last byte, not with the next read", () => {
  const seen: string[] = [];
  const stream = new EventStream((data) => seen.push(data), tooLarge);
  for (const [count, end] of ["\n\n", "\r\n\r\n", "\r\r"].entries()) {
    stream.push(new TextEncoder().encode(`data: ${count}${end}`));
    expect(seen).toHaveLength(count + 1);
  }
  expect(seen).toEqual(["0", "1", "2"]);
});

test.each([
  ["one line that does not end", "x".repeat(EVENT_CHARACTERS_MAX + 1)],
  ["many lines of one event", "data: xxxxxxxx\n".repeat(EVENT_CHARACTERS_MAX / 8 + 1)],
])("an event that is too large is refused: %s", (_, body) => {
  const stream = new EventStream(() => {}, tooLarge);
  expect(() => stream.push(new TextEncoder().encode(body))).toThrow(
    `more than ${EVENT_CHARACTERS_MAX} characters`,
  );
});

test("an event has the id that it was given, and no other", () => {
  const seen: string[] = [];
  const stream = new EventStream((data, _type, id) => seen.push(`${id}:${data}`), tooLarge);
  stream.push(new TextEncoder().encode("id: 7\ndata: a\n\ndata: b\n\ndata: c\nid: 8\n\n"));
  expect(seen).toEqual(["7:a", ":b", "8:c"]);
});
