// The snapshots of a space, and the form for a new one.

import type { VNode } from "preact";
import type { Snapshot } from "../../versioned-store/schema.ts";
import type { Failure } from "../failure.ts";
import { spacePath } from "../format.ts";
import { Empty, Field, FormTo, Name, Problem, Table, Time } from "../pieces.tsx";
import type { Visit } from "../visit.ts";

interface SnapshotsProps {
  readonly visit: Visit;
  readonly space: string;
  readonly rows: readonly Snapshot[];
  readonly isLead: boolean;
  readonly name: string;
  readonly failure: Failure | undefined;
}

export function SnapshotsBody({ visit, space, rows, isLead, name, failure }: SnapshotsProps): VNode {
  return (
    <div class="console-stack">
      {isLead && (
        <FormTo
          visit={visit}
          action={spacePath(space, "/snapshots")}
          class="form console-form console-inline"
        >
          <Problem failure={failure} fields={["name"]} />
          <Field label="Name of a new snapshot" name="name" value={name} required failure={failure} />
          <div class="actions">
            <button class="btn primary">Create a snapshot</button>
          </div>
        </FormTo>
      )}
      {rows.length === 0 ? (
        <Empty>
          <p>No snapshots. A snapshot names the space as it is now, so that you can go back to it.</p>
        </Empty>
      ) : (
        <Table label="Snapshots" head={["Name", "Time", "By", isLead && ""]}>
          {rows.map((one) => (
            <tr>
              <td class="wide">
                <Name>{one.name}</Name>
              </td>
              <td class="tight">
                <Time at={one.created_at} />
              </td>
              <td>
                <Name>{one.author}</Name>
              </td>
              {isLead && (
                <td class="number">
                  <a
                    class="btn small"
                    href={spacePath(space, `/snapshots/${one.id}/restore`)}
                    aria-label={`Restore ${one.name}`}
                  >
                    Restore
                  </a>
                </td>
              )}
            </tr>
          ))}
        </Table>
      )}
      {isLead && rows.length > 0 && (
        <p class="muted">Restoring writes new versions. Later versions stay in the history.</p>
      )}
    </div>
  );
}
