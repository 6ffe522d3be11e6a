// Goal: of equal forms that arrive together one acts at a time, and after one has done its work no other does.

import { expect, test } from "bun:test";
import { to, type Answer } from "../../../src/context/console/area.ts";
import { Doubles } from "../../../src/context/console/double-submit.ts";

test("after a refusal the next form is judged, and the others get its answer", async () => {
  const doubles = new Doubles();
  const refusal = Promise.withResolvers<Answer>();
  let acts = 0;
  const send = () =>
    doubles.once("session", "form", async () => {
      acts += 1;
      return acts === 1 ? refusal.promise : to(`/console/${acts}`);
    });
  const sent = [send(), send(), send()];
  refusal.reject(new Error("refused"));
  const answers = await Promise.allSettled(sent);
  expect(answers).toMatchObject([
    { status: "rejected" },
    { status: "fulfilled", value: { path: "/console/2" } },
    { status: "fulfilled", value: { path: "/console/2" } },
  ]);
  expect(acts).toBe(2);
});
