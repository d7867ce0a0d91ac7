/** Operators see the jobs of at most this many tasks at once: those whose oldest evaluation was created first. */
export const MAX_BUSY_TASKS = 500;
