// Runs `cairn` with the process arguments and exits with its code. Nothing else belongs here.
import { main } from "../src/cli/main.ts";

process.exit(await main(process.argv.slice(2)));
