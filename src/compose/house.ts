/** Competitions live in Task objects. This constant goes with the last code that asks for it. */
export const usesTaskObjects = true as boolean;
