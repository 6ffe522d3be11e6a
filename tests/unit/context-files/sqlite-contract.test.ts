// Goal: the embedded engine does what every engine of the versioned store must do.

import { fileEngineContract } from "../../kit/file-engine-contract.ts";
import { sqliteBench } from "../../kit/file-engine.ts";

fileEngineContract("sqlite", sqliteBench);
