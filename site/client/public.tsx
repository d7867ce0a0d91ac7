// This is the script of the public pages, which are complete without it. It adds the choice of colours, copying, countdowns and moving
// leaderboards.
import { addCopying } from "./copying.ts";
import { startCountdowns } from "./countdown.ts";
import { watchBoards } from "./live.tsx";
import { addThemeChoice } from "./theme.ts";

addThemeChoice();
addCopying();
startCountdowns();
watchBoards();
