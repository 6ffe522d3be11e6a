// Enabling, disabling and deleting a webhook, and replacing its secret. Pages ask first.

import { h } from "preact";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import { page, to, type PageRoute } from "../area.ts";
import { hookCrumbs, hookPath, HOOKS } from "../hook-addresses.ts";
import { ConfirmBody } from "../pages/confirm.tsx";
import { get, idOf, post } from "../routes.ts";

export function hookStateRoutes(webhooks: Webhooks): PageRoute[] {
  const at = (deed: string) => `${HOOKS}/:id/${deed}`;
  return [
    asking(webhooks, "disable", {
      title: "Disable",
      button: "Disable the webhook",
      text: "Pending deliveries are dropped. Events are not queued while the webhook is disabled.",
    }),
    post(at("disable"), async ({ visit, params }) => {
      const { id } = await webhooks.update(visit.caller, idOf("webhook", params), { enabled: false });
      return to(hookPath(id), "Disabled the webhook.");
    }),
    post(at("enable"), async ({ visit, params }) => {
      const { id } = await webhooks.update(visit.caller, idOf("webhook", params), { enabled: true });
      return to(hookPath(id), "Enabled the webhook. It receives events from now on.");
    }),
    asking(webhooks, "secret", {
      title: "Replace the secret of",
      button: "Replace the secret",
      text: "The next delivery is signed with the new secret. The receiver refuses it until you set the secret there.",
    }),
    post(at("secret"), async ({ visit, params }) => {
      const made = await webhooks.rotateSecret(visit.caller, idOf("webhook", params));
      const text = "Replaced the secret. The new one is shown only now.";
      return to(hookPath(made.id), { text, secret: made.secret });
    }),
    asking(webhooks, "delete", {
      title: "Delete",
      button: "Delete the webhook",
      text: "Its pending deliveries are dropped. This also deletes the list of its deliveries.",
    }),
    post(at("delete"), async ({ visit, params }) => {
      const id = idOf("webhook", params);
      await webhooks.remove(visit.caller, id);
      return to(HOOKS, `Deleted webhook ${id}.`);
    }),
  ];
}

interface Question {
  readonly title: string;
  readonly text: string;
  readonly button: string;
}

function asking(webhooks: Webhooks, deed: string, { title, text, button }: Question): PageRoute {
  return get(`${HOOKS}/:id/${deed}`, ({ visit, params }) => {
    const { id, url } = webhooks.get(visit.caller, idOf("webhook", params));
    const children = [h("p", { class: "console-lead" }, h("bdi", null, url)), h("p", null, text)];
    const confirm = { visit, action: hookPath(id, `/${deed}`), back: hookPath(id), button, children };
    return page(`${title} webhook ${id}`, h(ConfirmBody, confirm), { crumbs: hookCrumbs(id) });
  });
}
