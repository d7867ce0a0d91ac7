// Lists the cases of the judge check. A new attack is a new file in this folder and a line here.
import type { JudgeCase } from "./case.ts";
import { claims } from "./claims.ts";
import { empty } from "./empty.ts";
import { graderAttacks } from "./grader-attack.ts";
import { injections } from "./injections.ts";

export const JUDGE_CASES: readonly JudgeCase[] = [empty, claims, injections, ...graderAttacks];
