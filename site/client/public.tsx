// The script of the public pages. They are whole without it; it adds the choice of colours, copying, countdowns and leaderboards that move.
import { addCopying } from "./copying.ts";
import { startCountdowns } from "./countdown.ts";
import { watchBoards } from "./live.tsx";
import { addThemeChoice } from "./theme.ts";

addThemeChoice();
addCopying();
startCountdowns();
watchBoards();
