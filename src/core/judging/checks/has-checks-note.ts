/** The first note on a criterion that has checks. The console, which shows them next to the proposal, leaves it out. */
export const HAS_CHECKS_NOTE = "The criterion has checks already. They stay until you replace them.";
