// The initial files of a new space. The texts come from embed/templates and are compiled in.

import { AppError } from "../../kit/error.ts";
import { parseDocumentPath } from "../../kit/paths.ts";
import type { Operation } from "../versioned-store/engine.ts";
import entry from "../../../embed/templates/team/context-entry.md" with { type: "text" };
import decisions from "../../../embed/templates/team/decisions.md" with { type: "text" };
import me from "../../../embed/templates/team/identity/me.md" with { type: "text" };
import project from "../../../embed/templates/team/projects/example/project.md" with { type: "text" };
import principles from "../../../embed/templates/team/team/principles.md" with { type: "text" };
import skills from "../../../embed/templates/team/team/skill-map.md" with { type: "text" };

interface TemplateFile {
  readonly path: string;
  readonly content: string;
}

const templates: Readonly<Record<string, readonly TemplateFile[]>> = {
  team: [
    { path: "context-entry.md", content: entry },
    { path: "decisions.md", content: decisions },
    { path: "identity/me.md", content: me },
    { path: "projects/example/project.md", content: project },
    { path: "team/principles.md", content: principles },
    { path: "team/skill-map.md", content: skills },
  ],
  blank: [],
};

export const templateNames = Object.keys(templates);

/** Raises `invalid`. */
export function templateFiles(name: string): readonly TemplateFile[] {
  const files = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (!files) throw new AppError("invalid", `template: expected one of ${templateNames.join(", ")}`);
  return files;
}

/** Returns the writes that fill a new space. Raises `invalid`. */
export function templateOperations(name: string): Operation[] {
  return templateFiles(name).map(({ path, content }) => ({
    op: "put",
    path: parseDocumentPath("template", path),
    content: new TextEncoder().encode(content),
  }));
}
