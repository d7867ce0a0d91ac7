// The script of the public pages. They are whole without it; it adds copying, countdowns and leaderboards that move.
import { addCopying } from "./copying.ts";
import { startCountdowns } from "./countdown.ts";
import { watchBoards } from "./live.tsx";

addCopying();
startCountdowns();
watchBoards();
