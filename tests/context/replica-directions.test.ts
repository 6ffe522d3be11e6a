// Goal: a pull and a push do, plan and ask about only what their direction does; the rest waits.

import { expect, test } from "bun:test";
import { changesOf } from "../kit/context/replica.ts";
import { team } from "../kit/context/team.ts";
import { refusal } from "../kit/http/refusal.ts";

test("a pull sends nothing, and a push fetches nothing", async () => {
  await using lab = await team({ "a.md": "one", "b.md": "two" });
  lab.ann.write("a.md", "one, ann");
  await lab.ann.sync();
  lab.bob.write("b.md", "two, bob");
  expect(changesOf(await lab.bob.sync({ direction: "push" }))).toEqual({
    pushed: ["b.md"],
    waiting: ["a.md"],
  });
  expect(lab.bob.read("a.md")).toBe("one");
  lab.bob.write("b.md", "two, bob, again");
  expect(changesOf(await lab.bob.sync({ direction: "pull" }))).toEqual({
    pulled: ["a.md"],
    waiting: ["b.md"],
  });
  expect(await lab.server.admin.read("b.md")).toBe("two, bob");
});

test("deletes need no consent in a direction that makes none of them", async () => {
  const names = (letter: string) => Array.from({ length: 12 }, (_, index) => `${letter}${index}.md`);
  const [of, there] = [names("a"), names("b")];
  await using lab = await team(Object.fromEntries([...of, ...there].map((path) => [path, path])));
  for (const path of of) lab.ann.remove(path);
  for (const path of there) lab.bob.remove(path);
  await lab.bob.sync({ confirmed: true });
  const details = { needs_consent: true, files: 24 };
  for (const [direction, here, onServer] of [
    ["pull", 12, 0],
    ["push", 0, 12],
  ] as const)
    await refusal(
      lab.ann.sync({ direction }),
      "refused",
      new RegExp(`^this ${direction} would .* run cairn ${direction} --yes --dir \\S+ to confirm$`),
      { ...details, deletes_here: here, deletes_on_server: onServer },
    );
  expect(changesOf(await lab.ann.sync({ direction: "pull", confirmed: true }))).toEqual({
    removed: there.toSorted(),
    waiting: of.toSorted(),
  });
  // Nothing is left to do here, so the local deletes wait without a question.
  expect(changesOf(await lab.ann.sync({ direction: "pull" }))).toEqual({ waiting: of.toSorted() });
  await refusal(
    lab.ann.sync({ direction: "push" }),
    "refused",
    /^this push would delete 12 of 12 files on the server;/,
    { ...details, files: 12, deletes_here: 0, deletes_on_server: 12 },
  );
  expect((await lab.ann.sync({ direction: "push", confirmed: true })).withdrawn).toHaveLength(12);
});

test("a dry run of a pull or a push tells what that direction would do, and what would wait", async () => {
  await using lab = await team({
    "a.md": "one",
    "b.md": "two",
    "c.md": "three",
    "d.md": "four",
    "e.md": "1\n2\n3\n",
  });
  lab.ann.write("a.md", "one, ann");
  lab.ann.remove("b.md");
  lab.ann.write("e.md", "1 ann\n2\n3\n");
  await lab.ann.sync();
  lab.bob.write("c.md", "three, bob");
  lab.bob.remove("d.md");
  lab.bob.write("e.md", "1\n2\n3 bob\n");
  for (const direction of ["pull", "push", "both"] as const) {
    const rehearsed = changesOf(await lab.bob.sync({ direction, dryRun: true }));
    const incoming = { pulled: ["a.md"], removed: ["b.md"], merged: ["e.md"] };
    const outgoing = { pushed: ["c.md"], withdrawn: ["d.md"] };
    if (direction === "pull") expect(rehearsed).toEqual({ ...incoming, waiting: ["c.md", "d.md"] });
    if (direction === "push") expect(rehearsed).toEqual({ ...outgoing, waiting: ["a.md", "b.md", "e.md"] });
    if (direction === "both") expect(rehearsed).toEqual({ ...incoming, ...outgoing });
  }
  expect(changesOf(await lab.bob.sync({ direction: "pull" }))).toEqual({
    pulled: ["a.md"],
    removed: ["b.md"],
    merged: ["e.md"],
    waiting: ["c.md", "d.md"],
  });
});
