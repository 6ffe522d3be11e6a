// The list of webhooks, the form of one, and what they could not deliver.

import type { VNode } from "preact";
import { eventTypes } from "../../events/schema.ts";
import type { DeadLetter, HookState } from "../../webhooks/schema.ts";
import type { Failure } from "../failure.ts";
import { counted, countText } from "../../../kit/text/amounts.ts";
import { withQuery } from "../format.ts";
import { DEAD_LETTERS, hookPath, HOOKS, redeliverPath } from "../hook-addresses.ts";
import {
  Choice,
  Empty,
  ExactTime,
  Field,
  FormTo,
  Name,
  Problem,
  sentenceClass,
  Table,
  Time,
} from "../pieces.tsx";
import type { Visit } from "../visit.ts";
import { DeliveryState, eventsText, HookBadge } from "./hook-words.tsx";
import { SpacePicker, spacesText } from "./space-picker.tsx";

export const hookGroups = ["failing", "disabled"] as const;
type HookGroup = (typeof hookGroups)[number];
const GROUP_NAMES: Readonly<Record<HookGroup, string>> = { failing: "Failing", disabled: "Disabled" };

/** `failing`: its address is blocked, or its last delivery failed after all tries. */
function groupOf({ enabled, problem, last }: HookState): HookGroup | undefined {
  if (!enabled) return "disabled";
  return problem !== null || last?.state === "failed" ? "failing" : undefined;
}

interface WebhooksProps {
  readonly hooks: readonly HookState[];
  /** Undefined: all. */
  readonly group: HookGroup | undefined;
}

export function WebhooksBody({ hooks, group }: WebhooksProps): VNode {
  const create = (
    <a class="btn primary" href={`${HOOKS}/new`}>
      Create a webhook
    </a>
  );
  if (hooks.length === 0)
    return (
      <Empty>
        <p>No webhooks. A webhook sends signed events, such as a changed document, to an address of yours.</p>
        {create}
      </Empty>
    );
  return (
    <div class="console-stack">
      <div class="console-bar">
        <a class="btn" href={DEAD_LETTERS}>
          Dead letters
        </a>
        <span class="end">{create}</span>
      </div>
      <Groups hooks={hooks} group={group} />
      <Hooks hooks={group === undefined ? hooks : hooks.filter((one) => groupOf(one) === group)} />
    </div>
  );
}

function Groups({ hooks, group }: WebhooksProps): VNode {
  const choices = [undefined, ...hookGroups].map((one) => ({
    one,
    label: one === undefined ? "All" : GROUP_NAMES[one],
    count: one === undefined ? hooks.length : hooks.filter((hook) => groupOf(hook) === one).length,
  }));
  return (
    <nav class="console-choices" aria-label="States">
      <ul>
        {choices.map(({ one, label, count }) => (
          <li>
            <a href={withQuery(HOOKS, { show: one })} aria-current={one === group ? "true" : undefined}>
              {label} ({countText(count)})
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Hooks({ hooks }: Pick<WebhooksProps, "hooks">): VNode {
  if (hooks.length === 0)
    return (
      <Empty>
        <p>No webhooks in this state.</p>
      </Empty>
    );
  return (
    <Table
      label="Webhooks"
      head={["Address", "Events", "Spaces", "State", { label: "Lag", class: "number" }, "Last delivery"]}
    >
      {hooks.map((one) => (
        <tr>
          <td class="wide">
            <a href={hookPath(one.id)}>
              <Name>{one.url}</Name>
            </a>
          </td>
          <td data-label="Events:">{eventsText(one.events)}</td>
          <td data-label="Spaces:">{spacesText(one.spaces)}</td>
          <td>
            <HookBadge hook={one} />
          </td>
          <td class="number" data-label="Lag:">
            {one.lag === 0 ? "none" : counted(one.lag, "event")}
          </td>
          <td class="tight" data-label="Last delivery:">
            {one.last ? (
              <>
                <DeliveryState delivery={one.last} /> <Time at={one.last.created_at} />
              </>
            ) : (
              <span class="muted">none yet</span>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

export interface HookForm {
  /** Undefined: a new one. */
  readonly id: number | undefined;
  readonly url: string;
  readonly events: readonly string[];
  /** Null: every space. */
  readonly spaces: readonly string[] | null;
}

interface HookFormProps {
  readonly visit: Visit;
  readonly form: HookForm;
  /** The spaces that exist. */
  readonly known: readonly string[];
  readonly failure: Failure | undefined;
}

const GROUPS = [...new Set(eventTypes.map((type) => `${type.split(".")[0]!}.*`))];

export function HookFormBody({ visit, form, known, failure }: HookFormProps): VNode {
  const { id, url, events, spaces } = form;
  return (
    <FormTo
      visit={visit}
      action={id === undefined ? `${HOOKS}/new` : hookPath(id, "/edit")}
      class="form console-form column"
    >
      <Problem failure={failure} fields={["url", "events", "spaces"]} />
      <Field
        label="Address"
        name="url"
        value={url}
        required
        autoFocus
        hint="The URL of the receiver: https://… Addresses inside the network are refused."
        failure={failure}
      />
      <Choice
        label="Events"
        name="everything"
        value={events.includes("*") ? "yes" : "no"}
        options={[
          { value: "yes", label: "All events" },
          { value: "no", label: "The selected events only" },
        ]}
      />
      <EventPicker chosen={events} failure={failure} />
      <Choice
        label="Spaces"
        name="everywhere"
        value={spaces === null ? "yes" : "no"}
        options={[
          { value: "yes", label: "All spaces, new ones too, and the server" },
          { value: "no", label: "The selected spaces only" },
        ]}
      />
      <SpacePicker
        known={known}
        chosen={spaces ?? []}
        hint="Events without a space, such as a new user, are not sent."
        failure={failure}
      />
      <div class="actions">
        <a class="btn" href={id === undefined ? HOOKS : hookPath(id)}>
          Cancel
        </a>
        <button class="btn primary">{id === undefined ? "Create the webhook" : "Save"}</button>
      </div>
    </FormTo>
  );
}

function EventPicker({
  chosen,
  failure,
}: {
  chosen: readonly string[];
  failure: Failure | undefined;
}): VNode {
  const problem = failure?.field === "events" ? failure.text : undefined;
  return (
    <fieldset class="field console-picker" aria-describedby="f-events-note">
      <legend class="label">Selected events</legend>
      {GROUPS.map((group) => (
        <div class="console-picked">
          {[group, ...eventTypes.filter((type) => type.startsWith(group.slice(0, -1)))].map((event) => (
            <label class="check">
              <input type="checkbox" name={`event ${event}`} checked={chosen.includes(event)} />
              <span>{event}</span>
            </label>
          ))}
        </div>
      ))}
      <p id="f-events-note" class={problem === undefined ? "hint" : `problem ${sentenceClass(problem)}`}>
        {problem ?? "file.* matches every event of files, including new ones."}
      </p>
    </fieldset>
  );
}

interface LettersProps {
  readonly visit: Visit;
  readonly letters: readonly DeadLetter[];
  /** Those that still exist. */
  readonly hooks: ReadonlySet<number>;
}

export function DeadLettersBody({ visit, letters, hooks }: LettersProps): VNode {
  if (letters.length === 0)
    return (
      <Empty>
        <p>No dead letters. Every delivery arrived or is still being retried.</p>
      </Empty>
    );
  return (
    <div class="console-stack">
      <p class="console-lead">Deliveries that failed after all retries, newest first.</p>
      <Table label="Dead letters" head={["Time", "Webhook", "Why", { label: "Tries", class: "number" }, ""]}>
        {letters.map((one) => (
          <tr>
            <td class="tight">
              <ExactTime at={one.time} />
            </td>
            <td class="wide">
              {hooks.has(one.webhook) ? (
                <a href={hookPath(one.webhook)}>
                  <Name>{one.url}</Name>
                </a>
              ) : (
                <Name>{one.url}</Name>
              )}
            </td>
            <td class="wide">
              <Name>{one.error}</Name>
            </td>
            <td class="number" data-label="Tries:">
              {one.tries}
            </td>
            <td class="number">
              {hooks.has(one.webhook) && (
                <FormTo visit={visit} action={redeliverPath(one.delivery)}>
                  <button class="btn small" aria-label={`Redeliver to ${one.url}`}>
                    Redeliver
                  </button>
                </FormTo>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
