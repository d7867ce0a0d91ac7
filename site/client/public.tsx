// This is the script of the public pages, which are complete without it. It adds the choice of colours, copying, countdowns, moving
// leaderboards, and a judge check that is shown to its end.
import { addCopying } from "./copying.ts";
import { startCountdowns } from "./countdown.ts";
import { followJudgeCheck } from "./judge-check.tsx";
import { watchBoards } from "./live.tsx";
import { addThemeChoice } from "./theme.ts";

addThemeChoice();
addCopying();
startCountdowns();
watchBoards();
followJudgeCheck();
