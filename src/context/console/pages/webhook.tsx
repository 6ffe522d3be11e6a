// One webhook with its deliveries.

import type { VNode } from "preact";
import type { Delivery, HookState } from "../../webhooks/schema.ts";
import type { Failure } from "../failure.ts";
import { counted, countText } from "../../../kit/text/amounts.ts";
import { hookPath, redeliverPath } from "../hook-addresses.ts";
import { Empty, ExactTime, Figure, FormTo, Name, Pager, Problem, Table } from "../pieces.tsx";
import type { Visit } from "../visit.ts";
import { DeliveryState, eventsText, HookBadge } from "./hook-words.tsx";
import { spacesText } from "./space-picker.tsx";

interface WebhookProps {
  readonly visit: Visit;
  readonly hook: HookState;
  readonly deliveries: readonly Delivery[];
  readonly next: string | undefined;
  readonly first: string | undefined;
  readonly failure: Failure | undefined;
}

export function WebhookBody({ visit, hook, deliveries, next, first, failure }: WebhookProps): VNode {
  return (
    <div class="console-stack">
      <Problem failure={failure} />
      <Actions visit={visit} hook={hook} />
      {hook.problem !== null && (
        <p class="console-problem">
          It receives nothing: <Name>{hook.problem}</Name>
        </p>
      )}
      <p class="console-lead">
        <Name>{hook.url}</Name>
      </p>
      <dl class="console-figures">
        <Figure label="State">
          <HookBadge hook={hook} />
        </Figure>
        <Figure label="Events">
          <span class="console-words">{eventsText(hook.events)}</span>
        </Figure>
        <Figure label="Spaces">{spacesText(hook.spaces)}</Figure>
        <Figure label="Lag">{hook.lag === 0 ? "none" : counted(hook.lag, "event")}</Figure>
        <Figure label="Events missed">{countText(hook.dropped)}</Figure>
        <Figure label="Created by">
          <Name>{hook.created_by}</Name>
        </Figure>
      </dl>
      <section class="console-stack" aria-labelledby="deliveries">
        <h2 id="deliveries">Deliveries</h2>
        <Deliveries visit={visit} hook={hook} deliveries={deliveries} />
        <Pager first={first} next={next} />
      </section>
    </div>
  );
}

function Actions({ visit, hook: { id, enabled } }: { visit: Visit; hook: HookState }): VNode {
  return (
    <div class="console-bar">
      {enabled && (
        <FormTo visit={visit} action={hookPath(id, "/test")}>
          <button class="btn">Send a test</button>
        </FormTo>
      )}
      <a class="btn" href={hookPath(id, "/edit")}>
        Edit
      </a>
      <a class="btn" href={hookPath(id, "/secret")}>
        Replace the secret
      </a>
      {enabled ? (
        <a class="btn danger" href={hookPath(id, "/disable")}>
          Disable
        </a>
      ) : (
        <FormTo visit={visit} action={hookPath(id, "/enable")}>
          <button class="btn">Enable</button>
        </FormTo>
      )}
      <a class="btn danger" href={hookPath(id, "/delete")}>
        Delete
      </a>
    </div>
  );
}

function Deliveries({ visit, hook, deliveries }: Pick<WebhookProps, "visit" | "hook" | "deliveries">): VNode {
  if (deliveries.length === 0)
    return (
      <Empty>
        <p>No deliveries yet. Send a test to see one.</p>
      </Empty>
    );
  return (
    <Table
      label="Latest deliveries"
      head={["Time", "Event", "State", { label: "Tries", class: "number" }, "Answer", ""]}
    >
      {deliveries.map((one) => (
        <tr>
          <td class="tight">
            <ExactTime at={one.created_at} />
          </td>
          <td class="tight">{one.type}</td>
          <td class="tight">
            <DeliveryState delivery={one} />
          </td>
          <td class="number" data-label="Tries:">
            {one.tries}
          </td>
          <td class="wide last">
            {one.status !== null && `HTTP ${one.status} `}
            {one.error !== null && <Name>{one.error}</Name>}
          </td>
          <td class="number">
            {hook.enabled && (
              <FormTo visit={visit} action={redeliverPath(one.id)}>
                <button class="btn small" aria-label={`Redeliver ${one.type}`}>
                  Redeliver
                </button>
              </FormTo>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
