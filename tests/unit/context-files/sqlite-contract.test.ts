// Goal: the embedded engine passes the contract of the versioned store.

import { fileEngineContract } from "../../kit/store/file-engine-contract.ts";
import { sqliteBench } from "../../kit/store/file-engine.ts";

fileEngineContract("sqlite", sqliteBench);
