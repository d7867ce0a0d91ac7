declare const TASK_OBJECTS: boolean | undefined;

/** Whether competitions live in Task objects. While both houses stand, a build chooses one of them; the tables are the default. */
export const usesTaskObjects = typeof TASK_OBJECTS === "boolean" && TASK_OBJECTS;
