// `cairn template list`: the templates for new spaces. They are part of the program, so no server is asked.

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
