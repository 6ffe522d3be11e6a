// The spaces that the person sees.

import { allOf, type ListedSpace } from "../../spaces/open-space.ts";
import type { Space } from "../../spaces/schema.ts";
import type { Desk } from "../desk.ts";
import { TablePage } from "../table-page.ts";
import { plural, sizeText } from "../../../kit/text/amounts.ts";
import { timeText } from "../words.ts";
import { filesPage } from "./files.ts";

export function spacesPage(desk: Desk): TablePage<ListedSpace> {
  let unopened = 0;
  const known = (of: (space: Space) => string) => (row: ListedSpace) => ("files" in row ? of(row) : "—");
  return new TablePage<ListedSpace>({
    title: "Spaces",
    columns: [
      { title: "SPACE", of: (row) => ("files" in row ? row.name : `${row.name}: cannot be opened`) },
      { title: "FILES", width: 7, of: known(({ files }) => String(files)) },
      { title: "VERSIONS", width: 8, of: known(({ versions }) => String(versions)) },
      { title: "SIZE", width: 9, of: known(({ bytes }) => sizeText(bytes)) },
      { title: "CREATED (UTC)", width: 16, of: known(({ created_at: at }) => timeText(at)), fromColumns: 90 },
    ],
    rows: async () => {
      const list = await desk.spaces();
      unopened = list.unopened.length;
      return allOf(list);
    },
    text: ({ name }) => name,
    note: () => (unopened > 0 ? `${plural(unopened, "space")} cannot be opened: Enter shows why` : undefined),
    empty: "no spaces that you may see",
    open: ({ name }, stage) => stage.open(filesPage(desk, name, "")),
  });
}
