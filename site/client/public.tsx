// The script of the public pages, which are complete without it. It adds the theme choice, copying, countdowns, moving leaderboards, live
// judge checks, and what a signed-in reader sees.
import { addCopying } from "./copying.ts";
import { startCountdowns } from "./countdown.ts";
import { followJudgeCheck } from "./judge-check.tsx";
import { watchBoards } from "./live.tsx";
import { showSession } from "./session.ts";
import { addThemeChoice } from "./theme.ts";

addThemeChoice();
addCopying();
startCountdowns();
watchBoards();
followJudgeCheck();
void showSession();
