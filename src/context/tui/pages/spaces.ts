// The spaces that the person sees.

import type { Space } from "../../spaces/schema.ts";
import type { Desk } from "../desk.ts";
import { TablePage } from "../table-page.ts";
import { sizeText } from "../../../kit/text/amounts.ts";
import { timeText } from "../words.ts";
import { filesPage } from "./files.ts";

export function spacesPage(desk: Desk): TablePage<Space> {
  return new TablePage<Space>({
    title: "Spaces",
    columns: [
      { title: "SPACE", of: ({ name }) => name },
      { title: "FILES", width: 7, of: ({ files }) => String(files) },
      { title: "VERSIONS", width: 8, of: ({ versions }) => String(versions) },
      { title: "SIZE", width: 9, of: ({ bytes }) => sizeText(bytes) },
      { title: "CREATED (UTC)", width: 16, of: ({ created_at: at }) => timeText(at), fromColumns: 90 },
    ],
    rows: () => desk.spaces(),
    text: ({ name }) => name,
    empty: "no space that you may see",
    open: ({ name }, stage) => stage.open(filesPage(desk, name, "")),
  });
}
