// Goal: the chat and the inspector show how an answer ended and whether it contains untrusted text, and a person clears that mark.

import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { bubble, chatRoom, write } from "../kit/browser/chat-room.ts";
import { call, hang, lengthStop, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";

onScreen("marks in the chat", chatRoom, (room) => {
  afterEach(() => room.endTurns());
  test("says why an answer is truncated, and names the call that was not made", async () => {
    const workspace = await room.desk("scribe");
    await using page = await room.open(workspace.own);
    room.model.script("boss", [lengthStop({ withHalfCall: true })]);
    await write(page, "Write it.");
    const answer = bubble(page, "orchestrator", "The answer is");
    await answer.getByText("truncated: length limit").waitFor();
    await answer.getByText("not called: delegate").waitFor();
  });

  test("says why the service cancelled a turn", async () => {
    const workspace = await room.desk();
    await using page = await room.open(workspace.own);
    const { user, token } = await room.admin.post("/users", { name: "ann", role: "admin" });
    room.model.script("boss", [hang()]);
    await fetch(`${room.url}/api/v1${workspace.own}/chat`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ text: "Look." }),
    });
    await page.getByText("orchestrator is thinking").first().waitFor();
    await room.admin.delete(`/users/${user.id}/tokens`);
    await page.getByText("Stopped: the tokens of ann were revoked.").waitFor();
  });

  test("marks untrusted text until a person clears it", async () => {
    const workspace = await room.desk();
    await using page = await room.open(workspace.own);
    room.model.script("boss", [call("agent_list"), say("They fly south.")]);
    await write(page, "When do herons fly?");
    const answer = bubble(page, "orchestrator", "They fly south.");
    await answer.waitFor();
    // Only searches produce such text, and this service has none.
    await room.restart((data) => {
      using db = new Database(`${data}/service.db`);
      db.run("UPDATE entries SET tainted = 1 WHERE kind = 'tool' OR text = 'They fly south.'");
    });
    await page.reload();
    await answer.getByText("untrusted text").waitFor();
    const notice = page.getByRole("group", { name: "Untrusted text" });
    await notice.getByText("2 entries contain text from the web").waitFor();
    await page.getByRole("button", { name: "Actions for this answer by orchestrator" }).last().click();
    await page.getByRole("menuitem", { name: "Clear mark" }).click();
    await answer.getByText("untrusted text").waitFor({ state: "detached" });

    const marked = async () => {
      return (await room.admin.get(`${workspace.own}/entries`)).filter(({ tainted }) => tainted);
    };
    expect((await marked()).map(({ kind }) => kind)).toEqual(["tool"]);
    await notice.getByRole("button", { name: "Show first" }).click();
    await page.getByRole("button", { name: "Clear mark" }).waitFor();
    await notice.getByRole("button", { name: "Clear all marks" }).click();
    await page.getByRole("button", { name: "Clear mark" }).waitFor({ state: "detached" });
    await notice.waitFor({ state: "detached" });
    expect(await marked()).toEqual([]);
    room.browser.expected(
      /net::ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY_RESPONSE)/,
    );
  });
});
