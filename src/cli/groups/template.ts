// `cairn template list`: what a new space can begin with. The texts are in this program, so that it asks nobody.

import { defineCommand } from "citty";
import { templateFiles, templateNames } from "../../context/spaces/templates.ts";
import { formatOf, printData } from "../../kit/output.ts";
import { table } from "../text.ts";

export const templateList = defineCommand({
  meta: { name: "list", description: "List the templates for new spaces" },
  async run({ args }) {
    const all = templateNames.map((name) => ({
      name,
      files: templateFiles(name).map(({ path }) => path),
    }));
    await printData(all, formatOf(args), (templates) =>
      table(
        templates.map(({ name, files }) => [name, files.length, files.join(", ")]),
        ["NAME", "FILES", "PATHS"],
        "there are no templates",
      ),
    );
  },
});
