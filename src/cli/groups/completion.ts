// `cairn completion`: prints the completion script of a shell. It is generated from the tree of commands at run time, so the two always agree.

import { defineCommand } from "citty";
import { oneOfWords } from "../../kit/terminal/arguments.ts";
import { commandTree, type Program } from "../../kit/terminal/cli.ts";
import { formatOf, printData } from "../../kit/terminal/output.ts";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { offersOf, type Offer } from "../completion/offers.ts";
import { powershellScript } from "../completion/powershell.ts";
import { zshScript } from "../completion/zsh.ts";

const SHELLS: Readonly<Record<string, (offers: readonly Offer[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** `program` is passed as a function, since it is still being defined when this module loads. */
export const completionOf = (program: () => Program) =>
  defineCommand({
    meta: { name: "completion", description: "Print the completion script for your shell" },
    args: {
      shell: oneOfWords(Object.keys(SHELLS), {
        type: "positional",
        required: true,
        valueHint: "shell",
        description: `One of ${Object.keys(SHELLS).join(", ")}`,
      }),
    },
    async run({ args }) {
      const script = SHELLS[args.shell]!(offersOf(await commandTree(program())));
      await printData({ shell: args.shell, script }, formatOf(args), (made) => made.script.trimEnd());
    },
  });
