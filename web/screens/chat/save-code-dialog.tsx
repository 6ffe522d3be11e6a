// Saves code as a file of the workspace, under a name that a person gives. An existing file is replaced only on request, and only the version
// that this person was told about.

import { createSignal, type JSX, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { asProblem, fieldProblem } from "../../api/problem.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { bytes } from "../../kit/format.ts";
import { tell } from "../../kit/toast.tsx";
import { useHere } from "../../state/here.ts";

interface Existing {
  readonly path: string;
  readonly version: string;
  readonly size: number;
}

export function SaveCodeDialog(props: {
  readonly code: string;
  readonly language: string;
  readonly onClose: () => void;
}): JSX.Element {
  const here = useHere();
  const [path, setPath] = createSignal(`untitled${extensionOf(props.language)}`);
  /** The file that the name belongs to. */
  const [existing, setExisting] = createSignal<Existing>();
  const replaces = () => (existing()?.path === path().trim() ? existing() : undefined);
  const text = () => (props.code.endsWith("\n") ? props.code : `${props.code}\n`);
  const file = api.workspaces({ id: here.id }).file;
  const form = createSubmission(["path"], async () => {
    const name = path().trim();
    if (name === "") throw fieldProblem("path", "Enter a name.");
    const known = replaces();
    const headers: Record<string, string> = known
      ? { "if-match": `"${known.version}"` }
      : { "if-none-match": "*" };
    try {
      await take(file.put(text(), { query: { path: name }, headers }));
    } catch (error) {
      if (asProblem(error).code !== "stale") throw error;
      const { version, size } = await take(file.get({ query: { path: name } }));
      setExisting({ path: name, version, size });
      return;
    }
    tell(
      <>
        Saved{" "}
        <a href={`/workspaces/${here.id}/files?path=${encodeURIComponent(name)}`} dir="auto">
          {name}
        </a>
      </>,
    );
    props.onClose();
  });
  return (
    <Dialog open onClose={props.onClose} title="Save to file">
      <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
        <TextInput
          label="Name"
          value={path()}
          onInput={setPath}
          mono
          autofocus
          hint="In the files of this workspace. Missing folders are created: notes/plan.md"
          problem={form.of("path")}
        />
        <Show when={replaces()}>
          {(found) => (
            <div class="notice wait" role="alert">
              <div>
                <b dir="auto">{found().path}</b> already exists ({bytes(found().size)}). Enter another name,
                or replace the file.
              </div>
            </div>
          )}
        </Show>
        <FormActions
          form={form}
          action={replaces() ? "Replace file" : "Save"}
          kind={replaces() ? "danger-primary" : "primary"}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  bash: ".sh",
  c: ".c",
  cpp: ".cpp",
  csharp: ".cs",
  css: ".css",
  csv: ".csv",
  diff: ".diff",
  go: ".go",
  html: ".html",
  java: ".java",
  javascript: ".js",
  js: ".js",
  json: ".json",
  jsx: ".jsx",
  kotlin: ".kt",
  markdown: ".md",
  md: ".md",
  mermaid: ".mmd",
  php: ".php",
  py: ".py",
  python: ".py",
  rb: ".rb",
  rs: ".rs",
  ruby: ".rb",
  rust: ".rs",
  sh: ".sh",
  shell: ".sh",
  sql: ".sql",
  svg: ".svg",
  swift: ".swift",
  toml: ".toml",
  ts: ".ts",
  tsx: ".tsx",
  typescript: ".ts",
  xml: ".xml",
  yaml: ".yaml",
  yml: ".yaml",
};

function extensionOf(language: string): string {
  return EXTENSIONS[language.toLowerCase()] ?? ".txt";
}
