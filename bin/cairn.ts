// Starts `cairn`: hands over the arguments and exits with what comes back.
// Nothing else belongs here.
import { main } from "../src/cli/main.ts";

process.exit(await main(process.argv.slice(2)));
