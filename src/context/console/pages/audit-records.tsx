// Audit records in a table: of the overview, and of the audit itself.

import type { VNode } from "preact";
import type { AuditRecord } from "../../audit/schema.ts";
import { recordPath } from "../audit-addresses.ts";
import { ExactTime, Name, Table } from "../pieces.tsx";

interface RecordsProps {
  readonly records: readonly AuditRecord[];
  /** Shows the number of each record, which leads to the whole record. */
  readonly numbered?: boolean;
}

export function Records({ records, numbered = false }: RecordsProps): VNode {
  const head = ["Time", "Person", "Action", "What", "Result"];
  return (
    <Table label="Audit records" head={numbered ? ["Number", ...head] : head}>
      {records.map((one) => (
        <tr class="console-record">
          {numbered && (
            <td class="tight">
              <a href={recordPath(one.seq)}>{one.seq}</a>
            </td>
          )}
          <td class="tight">
            <ExactTime at={one.time} />
          </td>
          <td>{one.actor.name === "" ? <span class="muted">nobody</span> : <Name>{one.actor.name}</Name>}</td>
          <td class="tight">{one.action}</td>
          <td class="wide last">
            <Name>{[one.space, one.target].filter((part) => part !== null).join(" · ")}</Name>
          </td>
          <td class={one.result === "ok" ? "tight" : "tight console-bad"}>{one.result}</td>
        </tr>
      ))}
    </Table>
  );
}
