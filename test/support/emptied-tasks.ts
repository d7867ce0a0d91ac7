/**
 * Earlier files of this worker have left these objects, which are empty now. A set-up file runs anew for each file, so it cannot store
 * them.
 */
export const EMPTIED_TASKS = new Set<string>();
