// The settings of a space: limits, sync rules, and how it is stored.

import type { VNode } from "preact";
import { syncModes, type EffectiveQuotas, type Space } from "../../spaces/schema.ts";
import { byteText } from "../byte-count.ts";
import type { Failure } from "../failure.ts";
import { countText, sizeInWords } from "../../../kit/text/amounts.ts";
import { spacePath } from "../format.ts";
import { Field, Figure, FormTo, Problem, sentenceClass, Table, Time } from "../pieces.tsx";
import type { Visit } from "../visit.ts";

export type QuotaName = keyof EffectiveQuotas;
export type QuotaForm = Readonly<Record<QuotaName, string>>;

/** A rule as a person types it. */
export interface SyncRow {
  readonly prefix: string;
  readonly mode: string;
}

interface SpaceSettingsProps {
  readonly visit: Visit;
  readonly space: Space;
  readonly server: EffectiveQuotas;
  readonly backend: string;
  readonly versionsKept: number;
  readonly quotas: QuotaForm;
  readonly rows: readonly SyncRow[];
  /** Of the rules that the form was made from. */
  readonly seen: string;
  readonly mayDelete: boolean;
  readonly failure: Failure | undefined;
}

export function SpaceSettingsBody(props: SpaceSettingsProps): VNode {
  const { space, backend, versionsKept, mayDelete, failure } = props;
  const isAtField = failure?.field !== undefined;
  return (
    <div class="console-stack">
      <Problem failure={isAtField ? undefined : failure} />
      <dl class="console-figures">
        <Figure label="Backend">{backend}</Figure>
        <Figure label="Template">{space.template}</Figure>
        <Figure label="Versions kept">{versionsKept === 0 ? "all" : countText(versionsKept)}</Figure>
        <Figure label="Created">
          <Time at={space.created_at} />
        </Figure>
      </dl>
      <Quotas {...props} />
      <SyncRules {...props} />
      {mayDelete && (
        <section class="console-stack" aria-labelledby="delete">
          <h2 id="delete">Delete the space</h2>
          <p class="console-lead">
            Deleting removes every document with all its versions. The next page asks for the name of the
            space.
          </p>
          <div class="console-bar">
            <a class="btn danger" href={spacePath(space.name, "/delete")}>
              Delete the space
            </a>
          </div>
        </section>
      )}
    </div>
  );
}

function Quotas({ visit, space, server, quotas, failure }: SpaceSettingsProps): VNode {
  const { quotas: inForce, quotas_set_by: setBy } = space;
  const hint = (name: QuotaName, shown: (value: number) => string, used?: string) => {
    const origin = setBy[name];
    const usage = used === undefined ? "" : ` Used: ${used}.`;
    return origin
      ? `Current: ${shown(inForce[name])}, set by ${origin.name}.${usage} Empty: the server's limit, ${shown(server[name])}.`
      : `Current: ${shown(inForce[name])}, the server's limit.${usage}`;
  };
  return (
    <section class="console-stack" aria-labelledby="quotas">
      <h2 id="quotas">Quotas</h2>
      <FormTo visit={visit} action={spacePath(space.name, "/settings/quotas")} class="form console-form">
        <Field
          label="Size of one document"
          name="max_file_size"
          value={quotas.max_file_size}
          hint={hint("max_file_size", byteText)}
          failure={failure}
        />
        <Field
          label="Size of the space"
          name="max_space_size"
          value={quotas.max_space_size}
          hint={hint("max_space_size", byteText, sizeInWords(space.bytes))}
          failure={failure}
        />
        <Field
          label="Documents"
          name="max_files"
          value={quotas.max_files}
          hint={hint("max_files", countText, countText(space.files))}
          failure={failure}
        />
        <div class="actions">
          <button class="btn primary">Save quotas</button>
        </div>
      </FormTo>
    </section>
  );
}

const MODES: Readonly<Record<(typeof syncModes)[number], string>> = {
  always: "always",
  "init-only": "init-only: first copy only",
  never: "never",
};

function SyncRules({ visit, space, rows, seen, failure }: SpaceSettingsProps): VNode {
  return (
    <section class="console-stack" aria-labelledby="sync">
      <h2 id="sync">Sync rules</h2>
      <p class="console-lead">
        The longest prefix that matches a path decides whether the path syncs to other machines. Without a
        rule it always does. Clear a prefix to remove its rule.
      </p>
      <FormTo visit={visit} action={spacePath(space.name, "/settings/sync")} class="form console-form column">
        <input type="hidden" name="rows" value={String(rows.length)} />
        <input type="hidden" name="seen" value={seen} />
        <Table label="Rules of prefixes" head={["Prefix", "Mode"]}>
          {rows.map((row, index) => (
            <SyncRuleRow row={row} index={index} failure={failure} />
          ))}
        </Table>
        <div class="console-bar">
          <button class="btn primary" name="do" value="save">
            Save sync rules
          </button>
          <button class="btn" name="do" value="row">
            Add a row
          </button>
        </div>
      </FormTo>
    </section>
  );
}

function SyncRuleRow({
  row,
  index,
  failure,
}: {
  row: SyncRow;
  index: number;
  failure: Failure | undefined;
}): VNode {
  const name = `rules.${index}`;
  const problem = failure?.field === name ? failure.text : undefined;
  const noted =
    problem === undefined ? {} : ({ "aria-invalid": "true", "aria-describedby": `f-${name}-note` } as const);
  return (
    <tr>
      <td class="wide">
        <input
          type="text"
          class="input"
          name={`${name}.prefix`}
          value={row.prefix}
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          placeholder="drafts/"
          aria-label={`Prefix of rule ${index + 1}`}
          {...noted}
        />
        {problem !== undefined && (
          <p id={`f-${name}-note`} class={`problem console-bad small ${sentenceClass(problem)}`}>
            {problem}
          </p>
        )}
      </td>
      <td>
        <select class="input" name={`${name}.mode`} aria-label={`Mode of rule ${index + 1}`}>
          {syncModes.map((mode) => (
            <option value={mode} selected={mode === row.mode}>
              {MODES[mode]}
            </option>
          ))}
        </select>
      </td>
    </tr>
  );
}
