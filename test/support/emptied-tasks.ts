/** Ids of objects that an earlier file of this worker has left, and that are empty now. A set-up file runs anew for each file, so it cannot keep them. */
export const EMPTIED_TASKS = new Set<string>();
