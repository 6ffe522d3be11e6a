// The initial files of a new space. The texts come from embed/templates and are compiled in; the index is generated from them.

import { fieldError } from "../../kit/error.ts";
import { parseDocumentPath } from "../../kit/text/paths.ts";
import productEntry from "../../../embed/templates/product/context-entry.md" with { type: "text" };
import architecture from "../../../embed/templates/product/engineering/architecture.md" with { type: "text" };
import releases from "../../../embed/templates/product/engineering/releases.md" with { type: "text" };
import roadmap from "../../../embed/templates/product/product/roadmap.md" with { type: "text" };
import users from "../../../embed/templates/product/product/users.md" with { type: "text" };
import vision from "../../../embed/templates/product/product/vision.md" with { type: "text" };
import productPrinciples from "../../../embed/templates/product/team/principles.md" with { type: "text" };
import decisions from "../../../embed/templates/shared/decisions.md" with { type: "text" };
import me from "../../../embed/templates/shared/identity/me.md" with { type: "text" };
import project from "../../../embed/templates/shared/projects/example/project.md" with { type: "text" };
import soloEntry from "../../../embed/templates/solo/context-entry.md" with { type: "text" };
import soloPrinciples from "../../../embed/templates/solo/team/principles.md" with { type: "text" };
import soloSkills from "../../../embed/templates/solo/team/skill-map.md" with { type: "text" };
import teamEntry from "../../../embed/templates/team/context-entry.md" with { type: "text" };
import glossary from "../../../embed/templates/team/team/glossary.md" with { type: "text" };
import onboarding from "../../../embed/templates/team/team/onboarding.md" with { type: "text" };
import teamPrinciples from "../../../embed/templates/team/team/principles.md" with { type: "text" };
import teamSkills from "../../../embed/templates/team/team/skill-map.md" with { type: "text" };
import type { Operation, SpaceEngine } from "../versioned-store/engine.ts";
import { INDEX_PATH, indexText, titleOf } from "./space-index.ts";

interface TemplateFile {
  readonly path: string;
  readonly content: string;
}

interface Template {
  /** One sentence for a person who chooses. */
  readonly summary: string;
  readonly files: readonly TemplateFile[];
}

const shared: Readonly<Record<string, string>> = {
  "decisions.md": decisions,
  "identity/me.md": me,
  "projects/example/project.md": project,
};

const templates: Readonly<Record<string, Template>> = {
  solo: template("For one person and the AI tools on their machines.", {
    "context-entry.md": soloEntry,
    "team/principles.md": soloPrinciples,
    "team/skill-map.md": soloSkills,
  }),
  team: template("For a team: adds onboarding and a glossary.", {
    "context-entry.md": teamEntry,
    "team/glossary.md": glossary,
    "team/onboarding.md": onboarding,
    "team/principles.md": teamPrinciples,
    "team/skill-map.md": teamSkills,
  }),
  product: template("For a team with a product: adds vision, users, roadmap, architecture and releases.", {
    "context-entry.md": productEntry,
    "engineering/architecture.md": architecture,
    "engineering/releases.md": releases,
    "product/roadmap.md": roadmap,
    "product/users.md": users,
    "product/vision.md": vision,
    "team/principles.md": productPrinciples,
    "team/skill-map.md": teamSkills,
  }),
  blank: { summary: "No pages.", files: [] },
};

export const templateNames = Object.keys(templates);

function template(summary: string, own: Readonly<Record<string, string>>): Template {
  const pages = Object.entries({ ...shared, ...own }).map(([path, content]) => ({ path, content }));
  const index = indexText(pages.map(({ path, content }) => ({ path, title: titleOf(content) })));
  const files = [...pages, { path: INDEX_PATH, content: index }];
  return { summary, files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** Raises `invalid`. */
export function templateFiles(name: string): readonly TemplateFile[] {
  return named(name).files;
}

/** Returns the writes that fill a new space. Raises `invalid`. */
export function templateOperations(name: string): Operation[] {
  return templateFiles(name).map(({ path, content }) => ({
    op: "put",
    path: parseDocumentPath("template", path),
    content: new TextEncoder().encode(content),
  }));
}

/** Leaves out files that an earlier attempt, which a crash ended, has written. */
export async function unwritten(
  engine: Pick<SpaceEngine, "live">,
  operations: readonly Operation[],
): Promise<Operation[]> {
  const left: Operation[] = [];
  for (const operation of operations) if (!(await engine.live(operation.path))) left.push(operation);
  return left;
}

/** Raises `invalid`. */
export function templateSummary(name: string): string {
  return named(name).summary;
}

function named(name: string): Template {
  const found = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (!found) throw fieldError("invalid", "template", `expected one of ${templateNames.join(", ")}`);
  return found;
}
