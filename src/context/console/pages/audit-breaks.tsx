// Verifying the audit record, and the places where it was broken.

import type { VNode } from "preact";
import type { AuditBreak, AuditVerification } from "../../audit/schema.ts";
import { ACKNOWLEDGE, BREAKS, VERIFY } from "../audit-addresses.ts";
import { countText, counted } from "../../../kit/text/amounts.ts";
import { withQuery } from "../format.ts";
import { Empty, Figure, FormTo, Name, Table, Time } from "../pieces.tsx";
import type { Visit } from "../visit.ts";

export function VerifyBody({ visit, found }: { visit: Visit; found: AuditVerification | undefined }): VNode {
  return (
    <div class="console-stack">
      {found && <Outcome found={found} />}
      <p class="console-lead">
        Each record contains the hash of the previous one; the server stores the last hash separately.
        Verifying reads the whole record and finds every line that was edited, removed or moved. A long record
        takes a while.
      </p>
      <div class="console-bar">
        <FormTo visit={visit} action={VERIFY}>
          <button class="btn primary">{found ? "Verify again" : "Verify now"}</button>
        </FormTo>
        <a class="btn" href={BREAKS}>
          Breaks
        </a>
      </div>
    </div>
  );
}

function Outcome({ found }: { found: AuditVerification }): VNode {
  return (
    <div class="console-stack" role="status">
      <p class={`console-health ${found.ok ? "ok" : "bad"}`}>
        <strong>{found.ok ? "The record is intact" : "The record is broken"}</strong>
        {!found.ok && (
          <span>
            {found.line !== null && `line ${found.line}: `}
            {found.problem}
          </span>
        )}
      </p>
      <dl class="console-figures">
        <Figure label="Records verified">{countText(found.entries)}</Figure>
        <Figure label="Without a hash">{countText(found.skipped)}</Figure>
        <Figure label="Lines acknowledged">{countText(found.acknowledged)}</Figure>
        <Figure label="Last hash">{found.anchored ? "compared" : "not compared"}</Figure>
      </dl>
    </div>
  );
}

/** Newest first. */
export function BreaksBody({ breaks }: { breaks: readonly AuditBreak[] }): VNode {
  const open = breaks.filter((one) => one.acknowledged_at === null);
  const [newest] = open;
  if (breaks.length === 0)
    return (
      <Empty>
        <p>No breaks. The server has never found the record changed.</p>
        <a class="btn" href={VERIFY}>
          Verify
        </a>
      </Empty>
    );
  return (
    <div class="console-stack">
      {newest && (
        <div class="console-bar">
          <a class="btn danger" href={withQuery(ACKNOWLEDGE, { up_to: newest.id })}>
            Acknowledge {counted(open.length, "break")}
          </a>
        </div>
      )}
      <Table
        label="Breaks"
        head={["Found", { label: "Line", class: "number" }, "Problem", "Written", "Intact", "Acknowledged"]}
      >
        {breaks.map((one) => (
          <tr>
            <td class="tight">
              <Time at={one.noticed_at} />
            </td>
            <td class="number" data-label="Line:">
              {one.line}
            </td>
            <td class="wide">
              <Name>{one.problem}</Name>
            </td>
            <td class="tight" data-label="Written:">
              {counted(one.expected_entries, "record")}
            </td>
            <td class="tight" data-label="Intact:">
              {counted(one.found_entries, "record")}
            </td>
            <td data-label="Acknowledged:">
              {one.acknowledged_at === null ? (
                <span class="console-badge">Open</span>
              ) : (
                <>
                  <Time at={one.acknowledged_at} /> <Name>{one.acknowledged_by ?? ""}</Name>
                </>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
