// The entry that `npm run dev` starts in place of bin/service.ts: the service from source, with the interface from a folder.
// Arguments: the folder, then those of the service.

import { folderUi } from "./folder-ui.ts";

const [folder = "", ...argv] = process.argv.slice(2);
const { main } = await import("../src/service/command.ts");
process.exit(await main(argv, { ui: await folderUi(folder) }));
