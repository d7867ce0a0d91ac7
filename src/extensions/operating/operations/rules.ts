/** The maximum number of tasks whose jobs operators see at once: those with the oldest evaluations. */
export const MAX_BUSY_TASKS = 500;
