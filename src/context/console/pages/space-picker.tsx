// Some of the spaces of a server: chosen in a form, and named in a line.

import type { VNode } from "preact";
import type { Failure } from "../failure.ts";
import { sentenceClass } from "../pieces.tsx";

const SPACES_NAMED_MAX = 3;

/** `spaces`: null for all. */
export function spacesText(spaces: readonly string[] | null): string {
  if (spaces === null) return "all";
  if (spaces.length === 0) return "none";
  const named = spaces.slice(0, SPACES_NAMED_MAX).join(", ");
  return spaces.length > SPACES_NAMED_MAX ? `${named} and ${spaces.length - SPACES_NAMED_MAX} more` : named;
}

interface SpacePickerProps {
  /** The spaces that exist. */
  readonly known: readonly string[];
  /** May name deleted ones. */
  readonly chosen: readonly string[];
  readonly hint: string;
  readonly failure: Failure | undefined;
}

export function SpacePicker({ known, chosen, hint, failure }: SpacePickerProps): VNode {
  const all = [...new Set([...known, ...chosen])].sort();
  const problem = failure?.field === "spaces" ? failure.text : undefined;
  return (
    <fieldset class="field console-picker" aria-describedby="f-spaces-note">
      <legend class="label">Selected spaces</legend>
      <div class="console-picked">
        {all.length === 0 && <p class="muted">No spaces yet.</p>}
        {all.map((space) => (
          <label class="check">
            <input type="checkbox" name={`space ${space}`} checked={chosen.includes(space)} />
            <span>
              {space}
              {!known.includes(space) && <span class="muted"> (deleted)</span>}
            </span>
          </label>
        ))}
      </div>
      <p id="f-spaces-note" class={problem === undefined ? "hint" : `problem ${sentenceClass(problem)}`}>
        {problem ?? hint}
      </p>
    </fieldset>
  );
}
