// The overview: how the server is, how much it holds, what happened last.

import type { VNode } from "preact";
import { rfc3339 } from "../../../kit/clock.ts";
import { problemText, type HealthState } from "../../../kit/health.ts";
import type { AuditRecord } from "../../audit/schema.ts";
import type { LogEntry } from "../../versioned-store/engine.ts";
import type { ChangeOp } from "../../versioned-store/schema.ts";
import { countText, sizeInWords } from "../../../kit/text/amounts.ts";
import { spacePath } from "../format.ts";
import { HOOKS } from "../hook-addresses.ts";
import { USERS } from "../user-addresses.ts";
import { DiskFigure, Empty, Figure, Name, Time } from "../pieces.tsx";
import { Records } from "./audit-records.tsx";

export interface Figures {
  readonly spaces: number;
  /** Names of the spaces that the server cannot open. */
  readonly unopened: readonly string[];
  readonly files: number;
  readonly bytes: number;
  readonly versions: number;
  /** Undefined: not on a server. */
  readonly health: HealthState | undefined;
  readonly disk: { readonly free: number; readonly total: number } | undefined;
  readonly counters: Readonly<Record<string, number>>;
}

/** Names in the overview; the list of spaces shows all. */
const UNOPENED_SHOWN = 10;

export type Activity = LogEntry & { readonly space: string };

interface OverviewProps {
  readonly figures: Figures;
  readonly activity: readonly Activity[];
  readonly records: readonly AuditRecord[] | undefined;
  /** An admin who has not created any other user yet. */
  readonly isAlone: boolean;
}

export function OverviewBody({ figures, activity, records, isAlone }: OverviewProps): VNode {
  return (
    <div class="console-stack">
      <div data-live="/console/live">
        <Counters figures={figures} />
      </div>
      {isAlone && <NextSteps />}
      <div class="console-halves">
        <section class="console-stack" aria-labelledby="activity">
          <h2 id="activity">Latest changes</h2>
          <Changes activity={activity} />
        </section>
        {records && (
          <section class="console-stack" aria-labelledby="audit">
            <h2 id="audit">Latest audit records</h2>
            <Records records={records} />
          </section>
        )}
      </div>
    </div>
  );
}

/** The next steps after setup: users, rules, webhooks. */
function NextSteps(): VNode {
  return (
    <section class="console-stack" aria-labelledby="next">
      <h2 id="next">Next steps</h2>
      <ol class="console-next">
        <li>
          <a href={`${USERS}/new`}>Create a user</a> for each person and each program.
        </li>
        <li>Set access rules on a user's page to restrict what that user can read or change.</li>
        <li>
          <a href={`${HOOKS}/new`}>Create a webhook</a> if another service should know about changes.
        </li>
      </ol>
    </section>
  );
}

/** Refreshed while the page is open. */
export function Counters({ figures }: { figures: Figures }): VNode {
  const { health, disk } = figures;
  const counters = Object.entries(figures.counters);
  return (
    <div class="console-stack">
      {health && <HealthLine health={health} />}
      {figures.unopened.length > 0 && <UnopenedLine names={figures.unopened} />}
      <dl class="console-figures">
        <Figure label="Spaces">{countText(figures.spaces)}</Figure>
        <Figure label="Documents">{countText(figures.files)}</Figure>
        <Figure label="Size">{sizeInWords(figures.bytes)}</Figure>
        <Figure label="Versions">{countText(figures.versions)}</Figure>
        {disk && <DiskFigure disk={disk} />}
      </dl>
      {counters.length > 0 && (
        <dl class="console-figures small">
          {counters.map(([label, count]) => (
            <Figure label={label}>{countText(count)}</Figure>
          ))}
        </dl>
      )}
    </div>
  );
}

function UnopenedLine({ names }: { names: readonly string[] }): VNode {
  return (
    <p class="console-bad">
      The server cannot open{" "}
      {names.slice(0, UNOPENED_SHOWN).map((name, index) => (
        <>
          {index > 0 && ", "}
          <a href={spacePath(name)}>{name}</a>
        </>
      ))}
      {names.length > UNOPENED_SHOWN && ` and ${names.length - UNOPENED_SHOWN} more`}. Open the page of a
      space to read why and what to do.
    </p>
  );
}

function HealthLine({ health: { status, version, problems } }: { health: HealthState }): VNode {
  const isOk = status === "ok";
  return (
    <p class={`console-health ${isOk ? "ok" : "bad"}`}>
      <strong>{isOk ? "The server works" : "The server has problems"}</strong>
      {!isOk && <span>{problems.map(problemText).join(", ")}</span>}
      <span class="muted">version {version}</span>
    </p>
  );
}

const DID: Readonly<Record<ChangeOp, string>> = {
  write: "wrote",
  delete: "deleted",
  undelete: "restored",
  destroy: "destroyed a version of",
};

function Changes({ activity }: { activity: readonly Activity[] }): VNode {
  if (activity.length === 0)
    return (
      <Empty>
        <p>No changes yet.</p>
      </Empty>
    );
  return (
    <ul class="console-list">
      {activity.map((one) => (
        <li>
          <span>
            <Name>{one.author}</Name> {DID[one.op]}{" "}
            <a
              href={
                one.op === "delete"
                  ? spacePath(one.space, "/history", one.path)
                  : spacePath(one.space, "/files", one.path)
              }
            >
              <Name>{one.path}</Name>
            </a>{" "}
            {one.version !== null && one.op !== "delete" && <span class="muted">v{one.version}</span>} in{" "}
            <a href={spacePath(one.space)}>{one.space}</a>
          </span>
          <Time at={rfc3339(one.time)} />
        </li>
      ))}
    </ul>
  );
}
