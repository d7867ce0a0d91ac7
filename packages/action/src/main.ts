// This is the entry of the GitHub Action. Its inputs come only from the workflow: nothing in the checked-out folder is run or configures
// it.
import { useProxies } from "../../cli/src/core/proxy.ts";
import { runAction } from "./run.ts";

declare const ACTION_VERSION: string;

useProxies(process.env);
process.exitCode = await runAction(process.env, { version: ACTION_VERSION, write: (text) => process.stdout.write(text) });
