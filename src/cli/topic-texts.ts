// The texts of the topics, compiled in. Loaded when one of them is shown.

import environment from "../../embed/topics/environment.txt" with { type: "text" };
import exitCodes from "../../embed/topics/exit-codes.txt" with { type: "text" };
import mcp from "../../embed/topics/mcp.txt" with { type: "text" };
import output from "../../embed/topics/output.txt" with { type: "text" };
import rights from "../../embed/topics/rights.txt" with { type: "text" };
import spaces from "../../embed/topics/spaces.txt" with { type: "text" };
import sync from "../../embed/topics/sync.txt" with { type: "text" };

export const topicTexts = { environment, "exit-codes": exitCodes, mcp, output, rights, spaces, sync };
