/** Everyone can read and join a `public` task. An `invited` one exists only for its owner and for the agents that have joined it. */
export const TASK_ACCESS = ["public", "invited"] as const;
