// Names and tags for gears: status, runtime, outcomes of runs, and the meaning of an approval.

import { type JSX, Show } from "solid-js";
import type {
  Gear,
  GearDetail,
  GearRunKind,
  GearRunStatus,
  GearRuntime,
  GearStatus,
} from "../../../src/service/gears/schema.ts";
import { duration } from "../../kit/format.ts";
import { isolationLost } from "../../state/gear-state.ts";
import "./gear.css";

export const STATUS_NAMES: Readonly<Record<GearStatus, string>> = {
  pending: "pending approval",
  approved: "approved",
  disabled: "disabled",
};

const STATUS_LOOKS = { pending: "wait", approved: "ok", disabled: "bad" } as const;

export function StatusTag(props: { readonly gear: Gear; readonly version?: boolean }): JSX.Element {
  return (
    <span class={`tag ${isolationLost(props.gear) ? "wait" : STATUS_LOOKS[props.gear.status]}`}>
      {props.version ? `version ${props.gear.version} ` : ""}
      {isolationLost(props.gear) ? "isolation lost" : STATUS_NAMES[props.gear.status]}
    </span>
  );
}

export const RUNTIME_NAMES: Readonly<Record<GearRuntime, string>> = {
  python: "Python",
  node: "Node",
  bash: "Bash",
  binary: "Binary",
};

export const KIND_NAMES: Readonly<Record<GearRunKind, string>> = {
  run: "manual run",
  dry: "dry run",
  test: "test",
  tool: "agent call",
};

interface Ran {
  readonly status: GearRunStatus;
  readonly exit_code: number | null;
  readonly timed_out: boolean | null;
  readonly error: string | null;
}

/** The outcome in a few words, and whether it is good; undefined while it runs. */
function outcomeOf(run: Ran): { words: string; well: boolean | undefined } {
  if (run.status === "running") return { words: "running", well: undefined };
  if (run.timed_out) return { words: "timed out", well: false };
  if (run.status === "done") return { words: `exit ${run.exit_code}`, well: run.exit_code === 0 };
  return { words: run.status, well: false };
}

export function OutcomeTag(props: { readonly run: Ran }): JSX.Element {
  const outcome = () => outcomeOf(props.run);
  const look = () => ({ true: "ok", false: "bad", undefined: "wait" })[String(outcome().well)];
  return <span class={`tag ${look()}`}>{outcome().words}</span>;
}

/** `exit 0 · 41 ms`. */
export function resultWords(result: {
  readonly exit_code: number;
  readonly timed_out: boolean;
  readonly duration_ms: number;
  readonly cancelled?: boolean;
}): string {
  const end = result.cancelled ? "cancelled" : result.timed_out ? "timed out" : `exit ${result.exit_code}`;
  return `${end} · ${duration(result.duration_ms)}`;
}

/** Explains what approving exactly this content allows on this server. */
export function ApprovalMeaning(props: { readonly gear: GearDetail }): JSX.Element {
  return (
    <Show
      when={props.gear.isolated}
      fallback={
        <p class="gear-bad">
          <strong>Gears are not isolated on this server.</strong> If you approve, exactly these bytes may run
          with the server's own access: files, the database, the stored provider keys, the network and this
          API. This approval is the only control. To isolate gears, install Docker on the server's machine and
          restart the service.
        </p>
      }
    >
      <p class="muted">
        If you approve, exactly these bytes may run. {props.gear.isolation} Any change needs a new approval.
      </p>
    </Show>
  );
}

/** `7c1e 90ab … 44d2`. */
export function spacedHash(hash: string): string {
  return `${hash.slice(0, 4)} ${hash.slice(4, 8)} … ${hash.slice(-4)}`;
}
