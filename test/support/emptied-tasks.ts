/**
 * The objects that earlier test files of this worker have left, and that are empty now. A set-up file runs anew for each test file, so it
 * cannot store them.
 */
export const EMPTIED_TASKS = new Set<string>();
