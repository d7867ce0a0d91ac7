// The script of the public pages. They are whole without it; it adds the choice of colours, copying, countdowns, leaderboards that move and a judge check that ends.
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
