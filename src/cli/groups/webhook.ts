// `cairn webhook …`: webhooks and their deliveries.

import type { CreatedWebhook, DeadLetter, Delivery, Webhook } from "../../context/webhooks/schema.ts";
import { repeatable } from "../../kit/terminal/arguments.ts";
import { AppError } from "../../kit/error.ts";
import { serverCommand } from "../command.ts";
import { nextCommand } from "../next-command.ts";
import { fields, table, when } from "../tables.ts";
import { commaList } from "../comma-list.ts";

const id = {
  type: "positional",
  required: true,
  valueHint: "number",
  description: "Number of the webhook",
} as const;

const spacesText = ({ spaces }: Pick<Webhook, "spaces">) => (spaces === null ? "all" : spaces.join(", "));
const hookText = ({ id: number, url, events, enabled, problem, spaces }: Webhook) =>
  fields({
    webhook: number,
    url,
    events: events.join(", "),
    spaces: spacesText({ spaces }),
    enabled,
    ...(problem === null ? {} : { problem }),
  });
const deliveryText = (one: Delivery) =>
  fields({ delivery: one.id, webhook: one.webhook, type: one.type, state: one.state });

export const webhookList = serverCommand({
  name: "list",
  description: "List the webhooks of a server",
  args: {},
  ask: (client) => client.get<Webhook[]>("/webhooks"),
  show: (hooks) =>
    table(
      hooks.map((hook) => [
        hook.id,
        hook.enabled,
        hook.dropped,
        hook.events.join(", "),
        spacesText(hook),
        hook.url,
        hook.problem ?? "",
      ]),
      ["ID", "ENABLED", "DROPPED", "EVENTS", "SPACES", "URL", "PROBLEM"],
      "there are no webhooks",
    ),
});

export const webhookAdd = serverCommand({
  name: "add",
  description: "Send events to a URL; prints the signing secret",
  args: {
    url: { type: "positional", required: true, valueHint: "url", description: "Address to send events to" },
    events: {
      type: "string",
      valueHint: "list",
      description: "Event types, groups such as file.*, or *, separated by commas (default: *)",
    },
    space: repeatable({
      type: "string",
      valueHint: "name",
      description:
        "Send events of this space only; repeatable (default: events of all spaces and of the server)",
    }),
  },
  ask: (client, args) => {
    const events = args.events === undefined ? undefined : commaList(args.events);
    const spaces = args.space === undefined ? undefined : commaList(args.space);
    return client.json<CreatedWebhook>("POST", "/webhooks", { body: { url: args.url, events, spaces } });
  },
  show: ({ secret }) => secret,
  note: ({ id: made, events, url }) =>
    `webhook ${made} sends ${events.join(", ")} to ${url}; the secret is shown once`,
});

export const webhookSpaces = serverCommand({
  name: "spaces",
  description: "Change the spaces whose events a webhook receives",
  args: {
    id,
    space: repeatable({
      type: "string",
      valueHint: "name",
      description: "Send events of this space only; repeatable, and replaces the list",
    }),
    all: { type: "boolean", description: "Send events of all spaces and of the server itself" },
  },
  ask: (client, args) => {
    if ((args.space !== undefined) === (args.all === true))
      throw new AppError("invalid", "use either --space or --all");
    const spaces = args.space === undefined ? null : commaList(args.space);
    return client.json<Webhook>("PATCH", place(args.id), { body: { spaces } });
  },
  show: hookText,
});

export const webhookRotateSecret = serverCommand({
  name: "rotate-secret",
  description: "Give a webhook a new secret and print it",
  args: { id },
  ask: (client, args) => client.json<CreatedWebhook>("POST", `${place(args.id)}/secret`),
  show: ({ secret }) => secret,
  note: ({ id: hook }) => `webhook ${hook} signs with the new secret, which is shown once`,
});

export const webhookDelete = serverCommand({
  name: "delete",
  description: "Delete a webhook and its deliveries",
  args: { id },
  ask: async (client, args) => {
    await client.json("DELETE", place(args.id));
    return { deleted: Number(args.id) };
  },
  show: ({ deleted }) => `deleted webhook ${deleted}`,
});

function switchCommand(name: "enable" | "disable", description: string) {
  return serverCommand({
    name,
    description,
    args: { id },
    ask: (client, args) =>
      client.json<Webhook>("PATCH", place(args.id), { body: { enabled: name === "enable" } }),
    show: hookText,
  });
}

export const webhookEnable = switchCommand("enable", "Enable a webhook; it receives events from now on");
export const webhookDisable = switchCommand("disable", "Disable a webhook; it receives no events");

export const webhookTest = serverCommand({
  name: "test",
  description: "Send a test event (webhook.test)",
  args: { id },
  ask: (client, args) => client.json<Delivery>("POST", `${place(args.id)}/test`),
  show: deliveryText,
  note: outcomeHint,
});

export const webhookDeliveries = serverCommand({
  name: "deliveries",
  description: "List the deliveries of a webhook, newest first",
  args: { id },
  ask: (client, args) => client.get<Delivery[]>(`${place(args.id)}/deliveries`),
  show: (all) =>
    table(
      all.map((one) => [one.id, when(one.created_at), one.type, one.state, one.tries, one.status, one.error]),
      ["DELIVERY", "CREATED", "TYPE", "STATE", "TRIES", "STATUS", "ERROR"],
      "nothing was sent yet",
    ),
});

export const webhookRedeliver = serverCommand({
  name: "redeliver",
  description: "Send a delivery again",
  args: {
    delivery: { type: "positional", required: true, valueHint: "id", description: "ID of the delivery" },
  },
  ask: (client, args) =>
    client.json<Delivery>("POST", `/deliveries/${encodeURIComponent(args.delivery)}/redeliver`),
  show: deliveryText,
  note: outcomeHint,
});

export const webhookDeadLetter = serverCommand({
  name: "dead-letter",
  description: "List the deliveries that failed permanently",
  args: {},
  ask: (client) => client.get<DeadLetter[]>("/webhooks/dead-letter"),
  show: (letters) =>
    table(
      letters.map((one) => [when(one.time), one.delivery, one.webhook, one.tries, one.url, one.error]),
      ["TIME", "DELIVERY", "WEBHOOK", "TRIES", "URL", "ERROR"],
      "there are no dead letters",
    ),
});

/** The server sends it after its answer. */
function outcomeHint({ webhook }: Delivery, args: Readonly<Record<string, unknown>>): string {
  return `see the outcome: ${nextCommand(["webhook", "deliveries"], [String(webhook)], args)}`;
}

/** Raises `invalid`. */
function place(number: string): string {
  if (!/^[1-9]\d{0,15}$/.test(number))
    throw new AppError("invalid", `webhook "${number}": expected a number; cairn webhook list shows them`);
  return `/webhooks/${number}`;
}
