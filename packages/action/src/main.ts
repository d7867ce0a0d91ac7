// This is the entry of the GitHub Action. Its inputs come only from the workflow: nothing in the checked-out folder is run or configures
// it.
import { runAction } from "./run.ts";

declare const ACTION_VERSION: string;

process.exitCode = await runAction(process.env, { version: ACTION_VERSION, write: (text) => process.stdout.write(text) });
