// `cairn template list`: the templates for new spaces. They are part of the program, so no server is asked.

import { defineCommand } from "citty";
import { templateFiles, templateNames, templateSummary } from "../../context/spaces/templates.ts";
import { formatOf, printData } from "../../kit/terminal/output.ts";

export const templateList = defineCommand({
  meta: { name: "list", description: "List the templates for new spaces" },
  async run({ args }) {
    const all = templateNames.map((name) => ({
      name,
      summary: templateSummary(name),
      files: templateFiles(name).map(({ path }) => path),
    }));
    await printData(all, formatOf(args), (templates) =>
      templates
        .map(({ name, summary, files }) =>
          [`${name}: ${summary}`, ...files.map((path) => `  ${path}`)].join("\n"),
        )
        .join("\n\n"),
    );
  },
});
