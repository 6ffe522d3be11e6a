// The access rules of a user as rows of a form, and why somebody may or may not do something.

import type { VNode } from "preact";
import { capabilities, effects, type Capability, type Explanation } from "../../access/schema.ts";
import type { Failure } from "../failure.ts";
import { Field, FormTo, Name, Pager, Problem, sentenceClass, Table } from "../pieces.tsx";
import { ACCESS, userPath, withUser } from "../user-addresses.ts";
import type { Visit } from "../visit.ts";

/** A rule as a person types it. */
export interface RuleRow {
  readonly effect: string;
  readonly space: string;
  readonly pattern: string;
  readonly capabilities: readonly Capability[];
}

interface RulesProps {
  readonly visit: Visit;
  readonly user: string;
  readonly revision: string;
  /** The number of the first row among all rules. */
  readonly from: number;
  readonly rows: readonly RuleRow[];
  readonly spaces: readonly string[];
  readonly next: string | undefined;
  readonly first: string | undefined;
  readonly failure: Failure | undefined;
}

export function RulesBody(props: RulesProps): VNode {
  const { visit, user, revision, from, rows, spaces, next, first, failure } = props;
  const isAtRow = failure?.field?.startsWith("rules.") ?? false;
  return (
    <div class="console-stack">
      <p class="console-lead">
        A rule that denies wins over every rule that allows, and both win over the role. In a pattern,{" "}
        <code>*</code> matches any name and <code>**</code> for any depth. Clear the space and the pattern of
        a row to remove it.
      </p>
      <FormTo visit={visit} action={userPath(user, "/access")} class="form console-form wide">
        <Problem failure={isAtRow ? undefined : failure} />
        {failure?.code === "stale" && (
          <p>
            <a href={userPath(user, "/access")}>Show the rules that are in force</a>
          </p>
        )}
        <input type="hidden" name="revision" value={revision} />
        <input type="hidden" name="from" value={String(from)} />
        <input type="hidden" name="rows" value={String(rows.length)} />
        <datalist id="spaces">
          {spaces.map((space) => (
            <option value={space} />
          ))}
        </datalist>
        <Table label="Rules" head={["Effect", "Space", "Pattern", "Permissions"]}>
          {rows.map((row, index) => (
            <Row row={row} index={from + index} failure={failure} />
          ))}
        </Table>
        <div class="console-bar">
          <button class="btn primary" name="do" value="save">
            Save
          </button>
          <button class="btn" name="do" value="row">
            Add a row
          </button>
          <a class="btn quiet" href={withUser(user)}>
            Explain access
          </a>
        </div>
      </FormTo>
      <Pager first={first} next={next} />
    </div>
  );
}

function Row({ row, index, failure }: { row: RuleRow; index: number; failure: Failure | undefined }): VNode {
  const name = `rules.${index}`;
  const problem = failure?.field?.startsWith(`${name}.`) ? failure : undefined;
  const at = (part: string) =>
    problem?.field === `${name}.${part}`
      ? ({ "aria-invalid": "true", "aria-describedby": `f-${name}-note` } as const)
      : {};
  const called = `rule ${index + 1}`;
  return (
    <tr>
      <td>
        <select class="input console-narrow" name={`${name}.effect`} aria-label={`Effect of ${called}`}>
          {effects.map((effect) => (
            <option value={effect} selected={effect === row.effect}>
              {effect}
            </option>
          ))}
        </select>
      </td>
      <td>
        <input
          type="text"
          class="input console-narrow"
          name={`${name}.space`}
          value={row.space}
          list="spaces"
          autocomplete="off"
          aria-label={`Space of ${called}`}
          placeholder="team"
          {...at("path")}
        />
      </td>
      <td class="wide">
        <input
          type="text"
          class="input"
          name={`${name}.pattern`}
          value={row.pattern}
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          aria-label={`Pattern of ${called}`}
          placeholder="private/**"
          {...at("path")}
        />
        {problem && (
          <p id={`f-${name}-note`} class={`problem console-bad small ${sentenceClass(problem.text)}`}>
            {problem.text}
          </p>
        )}
      </td>
      <td>
        <fieldset class="console-checks" aria-label={`Permissions of ${called}`} {...at("capabilities")}>
          {capabilities.map((one) => (
            <label class="check">
              <input type="checkbox" name={`${name}.${one}`} checked={row.capabilities.includes(one)} />
              <span>{one}</span>
            </label>
          ))}
        </fieldset>
      </td>
    </tr>
  );
}

interface ExplainProps {
  readonly user: string;
  readonly space: string;
  readonly path: string;
  readonly spaces: readonly string[];
  /** Empty: nothing was asked yet. */
  readonly answers: readonly Explanation[];
  readonly failure: Failure | undefined;
}

export function ExplainBody({ user, space, path, spaces, answers, failure }: ExplainProps): VNode {
  return (
    <div class="console-stack">
      <p class="console-lead">
        Shows the permissions of a user on a document, and the rule or role behind each.
      </p>
      <form method="get" action={ACCESS} class="form console-form">
        <Problem failure={failure} fields={["user", "space", "path"]} />
        <Field label="User" name="user" value={user} required failure={failure} />
        <div class="field">
          <label for="f-space">Space</label>
          <select class="input" id="f-space" name="space">
            {spaces.map((one) => (
              <option value={one} selected={one === space}>
                {one}
              </option>
            ))}
          </select>
        </div>
        <Field
          label="Path"
          name="path"
          value={path}
          required
          hint="The path of a document, such as notes/plan.md. It need not exist."
          failure={failure}
        />
        <div class="actions">
          <button class="btn primary">Explain</button>
        </div>
      </form>
      {answers.length > 0 && (
        <section class="console-stack" aria-labelledby="answer">
          <h2 id="answer">
            Access of <Name>{answers[0]!.user}</Name> to <Name>{answers[0]!.path}</Name>
          </h2>
          <Table label="Permissions" head={["Permission", "Result", "Why"]}>
            {answers.map(({ capability, allowed, reason }) => (
              <tr>
                <td class="tight">{capability}</td>
                <td class={allowed ? "tight" : "tight console-bad"}>{allowed ? "Allowed" : "Denied"}</td>
                <td class={`wide ${sentenceClass(reason)}`}>
                  <Name>{reason}</Name>
                </td>
              </tr>
            ))}
          </Table>
          <p>
            <a href={userPath(answers[0]!.user, "/access")}>Access rules of this user</a>
          </p>
        </section>
      )}
    </div>
  );
}
