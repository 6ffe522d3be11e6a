// Goal: the embedded engine passes the contract of the versioned store.

import { fileEngineContract } from "../../kit/file-engine-contract.ts";
import { sqliteBench } from "../../kit/file-engine.ts";

fileEngineContract("sqlite", sqliteBench);
