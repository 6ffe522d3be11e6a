// Webhooks and their deliveries.

import { h } from "preact";
import { AppError } from "../../../kit/error.ts";
import { eventTypes } from "../../events/schema.ts";
import { CreateWebhook, UpdateWebhook } from "../../webhooks/schema.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import { page, to, type Answer, type PageRoute } from "../area.ts";
import type { Failure } from "../failure.ts";
import type { Form } from "../form.ts";
import { PAGE_ROWS, withQuery } from "../format.ts";
import { given } from "../form-input.ts";
import { DEAD_LETTERS, hookCrumbs, hookPath, HOOKS } from "../hook-addresses.ts";
import { hookStateRoutes } from "./hook-state-routes.ts";
import { WebhookBody } from "../pages/webhook.tsx";
import {
  DeadLettersBody,
  HookFormBody,
  hookGroups,
  WebhooksBody,
  type HookForm,
} from "../pages/webhooks.tsx";
import { attempt, get, idOf, post } from "../routes.ts";
import type { Visit } from "../visit.ts";

interface HookPagesDeps {
  readonly webhooks: Webhooks;
  readonly spaceNames: () => readonly string[];
}

export function hookRoutes(deps: HookPagesDeps): PageRoute[] {
  const { webhooks } = deps;
  return [
    get(
      HOOKS,
      ({ visit, query }) => {
        const group = hookGroups.find((known) => known === query.get("show"));
        return page("Webhooks", h(WebhooksBody, { hooks: webhooks.states(visit.caller), group }));
      },
      ["show"],
    ),
    get(DEAD_LETTERS, ({ visit }) => {
      const letters = webhooks.deadLetters(visit.caller);
      const hooks = new Set(webhooks.list(visit.caller).map(({ id }) => id));
      return page("Dead letters", h(DeadLettersBody, { visit, letters, hooks }), { crumbs: hookCrumbs() });
    }),
    ...formRoutes(deps),
    get(
      `${HOOKS}/:id`,
      ({ visit, params, query }) =>
        hookPage(webhooks, visit, idOf("webhook", params), { before: query.get("before") ?? undefined }),
      ["before"],
    ),
    post(`${HOOKS}/:id/test`, ({ visit, params }) => {
      const id = idOf("webhook", params);
      return attempt(
        async () => {
          await webhooks.test(visit.caller, id);
          return to(hookPath(id), "Queued a test. Reload the page to see the result.");
        },
        (failure) => hookPage(webhooks, visit, id, { failure }),
      );
    }),
    post(`${HOOKS}/deliveries/:delivery/redeliver`, ({ visit, params }) =>
      redelivered(webhooks, visit, params["delivery"]!),
    ),
    ...hookStateRoutes(webhooks),
  ];
}

function hookPage(
  webhooks: Webhooks,
  visit: Visit,
  id: number,
  { before, failure }: { before?: string | undefined; failure?: Failure },
): Answer {
  const hook = webhooks.get(visit.caller, id);
  const rows = webhooks.deliveries(visit.caller, id, before, PAGE_ROWS + 1);
  const deliveries = rows.slice(0, PAGE_ROWS);
  const next =
    rows.length > PAGE_ROWS ? withQuery(hookPath(id), { before: deliveries.at(-1)!.id }) : undefined;
  const first = before === undefined ? undefined : hookPath(id);
  return page(`Webhook ${id}`, h(WebhookBody, { visit, hook, deliveries, next, first, failure }), {
    crumbs: hookCrumbs(),
    status: failure?.status ?? 200,
  });
}

/** A delivery is kept for a limited time, so that it is gone is no defect of the page. */
async function redelivered(webhooks: Webhooks, { caller }: Visit, delivery: string): Promise<Answer> {
  try {
    const { webhook } = await webhooks.redeliver(caller, delivery);
    return to(hookPath(webhook), "Queued the delivery again. Reload the page to see the result.");
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    return to(DEAD_LETTERS, "Not sent: the server no longer has this delivery.");
  }
}

function formRoutes({ webhooks, spaceNames }: HookPagesDeps): PageRoute[] {
  const [create, edit] = [`${HOOKS}/new`, `${HOOKS}/:id/edit`];
  const shown = (visit: Visit, form: HookForm, failure?: Failure) =>
    formPage(visit, { form, known: seenOf(visit, spaceNames()), failure });
  return [
    get(create, ({ visit }) => shown(visit, { id: undefined, url: "", events: ["*"], spaces: null })),
    post(create, ({ visit, form }) => {
      const typed = {
        url: form.text("url").trim(),
        events: eventsIn(form, []),
        spaces: spacesIn(form, spaceNames()),
      };
      return attempt(
        async () => {
          const made = await webhooks.create(visit.caller, given(CreateWebhook, typed));
          const text = "Created the webhook. Its secret signs every delivery and is shown only now.";
          return to(hookPath(made.id), { text, secret: made.secret });
        },
        (failure) => shown(visit, { id: undefined, ...typed }, failure),
      );
    }),
    get(edit, ({ visit, params }) => shown(visit, webhooks.get(visit.caller, idOf("webhook", params)))),
    post(edit, ({ visit, params, form }) => {
      const { id, events, spaces } = webhooks.get(visit.caller, idOf("webhook", params));
      const typed = {
        url: form.text("url").trim(),
        events: eventsIn(form, events),
        spaces: spacesIn(form, [...spaceNames(), ...(spaces ?? [])]),
      };
      return attempt(
        async () => {
          await webhooks.update(visit.caller, id, given(UpdateWebhook, typed));
          return to(hookPath(id), "Saved. It applies from the next event.");
        },
        (failure) => shown(visit, { id, ...typed }, failure),
      );
    }),
  ];
}

interface FormPage {
  readonly form: HookForm;
  readonly known: readonly string[];
  readonly failure: Failure | undefined;
}

function formPage(visit: Visit, { form, known, failure }: FormPage): Answer {
  const title = form.id === undefined ? "Create a webhook" : `Edit webhook ${form.id}`;
  return page(title, h(HookFormBody, { visit, form, known, failure }), {
    crumbs: hookCrumbs(form.id),
    status: failure?.status ?? 200,
  });
}

function seenOf({ caller }: Visit, names: readonly string[]): readonly string[] {
  return names.filter((name) => caller.rights.sees(name));
}

/** The spaces that the form selects; null: every one. */
function spacesIn(form: Form, known: readonly string[]): string[] | null {
  if (form.text("everywhere") !== "no") return null;
  return [...new Set(known)].filter((name) => form.has(`space ${name}`)).sort();
}

/** `known`: what it subscribed to so far, in case the form does not list it. */
function eventsIn(form: Form, known: readonly string[]): string[] {
  if (form.text("everything") === "yes") return ["*"];
  const groups = eventTypes.map((type) => `${type.split(".")[0]!}.*`);
  return [...new Set([...groups, ...eventTypes, ...known])].filter((event) => form.has(`event ${event}`));
}
