// The editor of a document: a text area that saves only over the version it came from, a preview, and both sides when somebody else saved first.

import type { VNode } from "preact";
import type { Failure } from "../failure.ts";
import { visible } from "../../../kit/text/visible.ts";
import type { Edited } from "../editing.ts";
import { spacePath } from "../format.ts";
import { Field, FormTo, Problem, Raw } from "../pieces.tsx";
import type { Shown } from "../rendering.ts";
import type { Visit } from "../visit.ts";
import { Content } from "./document.tsx";

export function EditorBody({ visit, space, edited }: { visit: Visit; space: string; edited: Edited }): VNode {
  const { path, failure, theirs, preview } = edited;
  return (
    <FormTo visit={visit} action={spacePath(space, "/edit", path)} class="form console-form wide" guard>
      {theirs ? <Meanwhile theirs={theirs} /> : <Problem failure={failure} fields={["message", "content"]} />}
      {edited.isEditOnDisk && !theirs && (
        <p class="console-notice wait">
          This text is an edit on disk that has no version yet. Saving records it as a version first.
        </p>
      )}
      {preview && <Preview shown={preview} />}
      <div class={theirs?.text === undefined ? undefined : "console-sides"}>
        <div class="field">
          <label for="content">{theirs ? "Your text" : "Text"}</label>
          <TextArea content={edited.content} failure={failure} />
        </div>
        {theirs?.text !== undefined && (
          <div class="field">
            <p class="label">
              {theirs.version === null ? "On disk now" : `Saved in the meantime: v${theirs.version}`}
            </p>
            <Raw text={theirs.text} label="The other text" />
          </div>
        )}
      </div>
      <Field
        label="What changed (optional)"
        name="message"
        value={edited.message}
        failure={failure}
        hint="Shown in the history."
      />
      <input type="hidden" name="base" value={edited.base} />
      <input type="hidden" name="ends" value={edited.ends} />
      <div class="actions">
        <a
          class="btn"
          href={spacePath(space, theirs && theirs.text === undefined ? "/history" : "/files", path)}
        >
          Cancel
        </a>
        <button class="btn" name="action" value="preview">
          Preview
        </button>
        <button class="btn primary" name="action" value="save">
          {theirs ? "Save my text" : "Save"}
        </button>
      </div>
    </FormTo>
  );
}

function Meanwhile({ theirs: { version, text } }: { theirs: NonNullable<Edited["theirs"]> }): VNode {
  const what =
    text === undefined
      ? "This document was deleted while you were editing. Saving creates it again."
      : `${version === null ? "An edit on disk" : `v${version}`} was saved while you were editing. Copy what you need into your text, then save. Both versions stay in the history.`;
  return (
    <div class="console-problem" role="alert">
      <p>{what}</p>
    </div>
  );
}

function Preview({ shown }: { shown: Shown }): VNode {
  return (
    <section class="console-stack" aria-labelledby="preview">
      <h2 id="preview">Preview</h2>
      <div class="console-preview">
        <Content shown={shown} />
      </div>
    </section>
  );
}

/** A browser drops one line end at the start of a text area, so one is added. */
function TextArea({ content, failure }: { content: string; failure: Failure | undefined }): VNode {
  const problem = failure?.field === "content" && failure.code !== "stale" ? failure.text : undefined;
  const noted = { "aria-invalid": "true" as const, "aria-describedby": "f-content-note" };
  return (
    <>
      <textarea
        class="input console-editor"
        id="content"
        name="content"
        rows={24}
        spellcheck={false}
        dir="auto"
        {...(problem === undefined ? {} : noted)}
      >
        {`\n${content}`}
      </textarea>
      {problem !== undefined && (
        <p id="f-content-note" class="problem">
          {visible(problem)}
        </p>
      )}
    </>
  );
}

interface NewProps {
  readonly visit: Visit;
  readonly space: string;
  readonly made: { path: string; content: string; failure?: Failure; preview?: Shown | undefined };
}

export function NewDocumentBody({ visit, space, made }: NewProps): VNode {
  const { path, content, failure, preview } = made;
  return (
    <FormTo visit={visit} action={spacePath(space, "/new")} class="form console-form wide" guard>
      <Problem failure={failure} fields={["path", "content"]} />
      {preview && <Preview shown={preview} />}
      <Field
        label="Path"
        name="path"
        value={path}
        required
        autoFocus
        failure={failure}
        hint="Folders are separated by /, for example team/onboarding.md"
      />
      <div class="field">
        <label for="content">Text</label>
        <TextArea content={content} failure={failure} />
      </div>
      <div class="actions">
        <a class="btn" href={spacePath(space)}>
          Cancel
        </a>
        <button class="btn" name="action" value="preview">
          Preview
        </button>
        <button class="btn primary" name="action" value="save">
          Create the document
        </button>
      </div>
    </FormTo>
  );
}
