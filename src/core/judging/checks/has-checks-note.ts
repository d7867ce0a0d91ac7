/** The first note on a criterion that already has checks. The console omits this note, because it shows the checks next to the proposal. */
export const HAS_CHECKS_NOTE = "The criterion already has checks. They stay until you replace them.";
