/** Operators see the jobs of at most this many tasks at once: those that were created last. */
export const MAX_BUSY_TASKS = 500;
