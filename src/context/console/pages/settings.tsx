// Settings and health of a server: what is in force, which programs run, what the checks found. Nothing is changed here.

import type { VNode } from "preact";
import { problemText, type HealthState } from "../../../kit/health.ts";
import type { Finding } from "../../doctor/finding.ts";
import { countText } from "../../../kit/text/amounts.ts";
import { Command, DiskFigure, Figure, FormTo, Name, Table } from "../pieces.tsx";
import type { Visit } from "../visit.ts";

export const SETTINGS = "/console/settings";

interface SettingsFacts {
  readonly health: HealthState;
  readonly disk: { readonly free: number; readonly total: number };
  readonly versions: readonly (readonly [label: string, value: string])[];
  readonly metrics: readonly { readonly name: string; readonly help: string; readonly value: number }[];
  /** As in `server.yaml`. */
  readonly settings: readonly (readonly [key: string, value: string])[];
  readonly file: string;
  /** Undefined: not asked for. */
  readonly findings: readonly Finding[] | undefined;
  /** A complete command for the server's machine. */
  readonly doctor: string;
}

export function SettingsBody({ visit, facts }: { visit: Visit; facts: SettingsFacts }): VNode {
  const { health, disk, versions, metrics, settings, file, findings, doctor } = facts;
  const isOk = health.status === "ok";
  return (
    <div class="console-stack">
      <p class={`console-health ${isOk ? "ok" : "bad"}`}>
        <strong>{isOk ? "The server works" : "The server has problems"}</strong>
        {!isOk && <span>{health.problems.map(problemText).join(", ")}</span>}
      </p>
      <dl class="console-figures">
        {versions.map(([label, value]) => (
          <Figure label={label}>{value}</Figure>
        ))}
        <DiskFigure disk={disk} />
      </dl>
      <section class="console-stack" aria-labelledby="checks">
        <h2 id="checks">Checks</h2>
        {findings && <Findings findings={findings} />}
        <div class="console-bar">
          <FormTo visit={visit} action={SETTINGS}>
            <button class="btn">{findings ? "Check again" : "Run the checks"}</button>
          </FormTo>
        </div>
        <p class="muted">On the server's machine, this checks the databases and every space as well:</p>
        <Command text={doctor} />
      </section>
      <section class="console-stack" aria-labelledby="settings">
        <h2 id="settings">Settings</h2>
        <p class="muted">
          The server read these when it started. To change them, edit <Name>{file}</Name> and restart the
          server.
        </p>
        <Table label="Keys and values" head={["Key", "Value"]}>
          {settings.map(([key, value]) => (
            <tr>
              <th scope="row" class="tight">
                <code>{key}</code>
              </th>
              <td class="wide">
                <Name>{value}</Name>
              </td>
            </tr>
          ))}
        </Table>
      </section>
      <section class="console-stack" aria-labelledby="metrics">
        <h2 id="metrics">Metrics</h2>
        <Table label="Readings" head={["What", { label: "Now", class: "number" }, "Name"]}>
          {metrics.map(({ name, help, value }) => (
            <tr>
              <td class="wide">{help}</td>
              <td class="number">{countText(value)}</td>
              <td class="muted">
                <code>{name}</code>
              </td>
            </tr>
          ))}
        </Table>
      </section>
    </div>
  );
}

const STATES: Readonly<Record<Finding["state"], string>> = {
  ok: "Good",
  warn: "Warning",
  fail: "Problem",
  skipped: "Not checked",
};

function Findings({ findings }: { findings: readonly Finding[] }): VNode {
  return (
    <Table label="Findings" head={["Check", "State", "Found", "What to do"]}>
      {findings.map(({ check, state, found, fix }) => (
        <tr>
          <td class="tight">{check}</td>
          <td class="tight">
            <span class={state === "ok" || state === "skipped" ? "console-badge plain" : "console-badge"}>
              {STATES[state]}
            </span>
          </td>
          <td class="wide">
            <Name>{found}</Name>
          </td>
          <td class="wide">{fix === null ? <span class="muted">nothing</span> : <Name>{fix}</Name>}</td>
        </tr>
      ))}
    </Table>
  );
}
