// The entry point of the GitHub Action. Its inputs come only from the workflow: nothing in the checked-out folder runs or configures it.
import { useProxies } from "../../cli/src/core/proxy.ts";
import { VERSION } from "../../cli/src/core/sdk.ts";
import { runAction } from "./run.ts";

useProxies(process.env);
process.exitCode = await runAction(process.env, { version: VERSION, write: (text) => process.stdout.write(text) });
