// This is the script of the public pages, which are complete without it. It adds the choice of colours, copying, countdowns, moving
// leaderboards, a judge check that is shown to its end, and what belongs to a signed-in reader.
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
