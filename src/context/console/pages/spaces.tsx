// The list of spaces, the form for a new one, and the one for deleting one.

import type { VNode } from "preact";
import type { ListedSpace } from "../../spaces/open-space.ts";
import type { Space } from "../../spaces/schema.ts";
import type { Failure } from "../failure.ts";
import { countText, counted, sizeInWords } from "../../../kit/text/amounts.ts";
import { spacePath } from "../format.ts";
import {
  Empty,
  Field,
  FormTo,
  Options,
  Pager,
  Problem,
  Size,
  Table,
  Time,
  type OptionsProps,
} from "../pieces.tsx";
import type { Visit } from "../visit.ts";

interface SpacesProps {
  readonly rows: readonly ListedSpace[];
  readonly mayCreate: boolean;
  readonly next: string | undefined;
  readonly first: string | undefined;
}

export function SpacesBody({ rows, mayCreate, next, first }: SpacesProps): VNode {
  const create = (
    <a class="btn primary" href="/console/new-space">
      Create a space
    </a>
  );
  if (rows.length === 0)
    return (
      <Empty>
        <p>No spaces. A space holds documents with all their versions.</p>
        {mayCreate && create}
      </Empty>
    );
  return (
    <div class="console-stack">
      {mayCreate && (
        <div class="console-bar">
          <span class="end">{create}</span>
        </div>
      )}
      <Table
        label="Spaces"
        head={["Name", NUMBERS("Documents"), NUMBERS("Versions"), NUMBERS("Size"), "Created"]}
      >
        {rows.map((one) => (
          <tr>
            <td class="wide">
              <a href={spacePath(one.name)}>{one.name}</a>
            </td>
            {"files" in one ? <Amounts space={one} /> : <Unopened />}
          </tr>
        ))}
      </Table>
      <Pager first={first} next={next} />
    </div>
  );
}

function Amounts({ space }: { space: Space }): VNode {
  return (
    <>
      <td class="number" data-label="Documents:">
        {countText(space.files)}
      </td>
      <td class="number" data-label="Versions:">
        {countText(space.versions)}
      </td>
      <td class="number">
        <Size bytes={space.bytes} />
      </td>
      <td class="tight" data-label="Created:">
        <Time at={space.created_at} />
      </td>
    </>
  );
}

function Unopened(): VNode {
  return (
    <td class="console-bad" colSpan={4}>
      The server cannot open this space. Open its page to read why and what to do.
    </td>
  );
}

const NUMBERS = (label: string) => ({ label, class: "number" });

interface NewSpaceProps {
  readonly visit: Visit;
  readonly name: string;
  readonly template: string;
  readonly templates: OptionsProps["options"];
  readonly failure: Failure | undefined;
}

export function NewSpaceBody({ visit, name, template, templates, failure }: NewSpaceProps): VNode {
  return (
    <FormTo visit={visit} action="/console/new-space" class="form console-form">
      <Problem failure={failure} fields={["name", "template"]} />
      <Field
        label="Name"
        name="name"
        value={name}
        required
        autoFocus
        hint="Lower-case letters, digits and hyphens. It cannot be changed later."
        failure={failure}
      />
      <Options label="Template" name="template" value={template} options={templates} failure={failure} />
      <div class="actions">
        <a class="btn" href="/console/spaces">
          Cancel
        </a>
        <button class="btn primary">Create the space</button>
      </div>
    </FormTo>
  );
}

interface DeleteSpaceProps {
  readonly visit: Visit;
  readonly space: Space;
  readonly failure: Failure | undefined;
}

export function DeleteSpaceBody({ visit, space, failure }: DeleteSpaceProps): VNode {
  return (
    <FormTo visit={visit} action={spacePath(space.name, "/delete")} class="form console-form">
      <Problem failure={failure} fields={["confirm"]} />
      <p>
        Deleting <strong>{space.name}</strong> removes {counted(space.files, "document")},{" "}
        {counted(space.versions, "version")} and {sizeInWords(space.bytes)} for good. Only a backup can bring
        them back.
      </p>
      <Field label={`Type ${space.name} to confirm`} name="confirm" required failure={failure} />
      <div class="actions">
        <a class="btn" href={spacePath(space.name, "/settings")}>
          Cancel
        </a>
        <button class="btn danger primary">Delete the space</button>
      </div>
    </FormTo>
  );
}
