/** Writes `task.opened`, `created_at` and `getTask` as the name of a class: `TaskOpened`, `CreatedAt`, `GetTask`. */
export function pascalCase(name: string): string {
	return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the name at the end of a reference, such as `Task` of `#/components/schemas/Task`. */
export function nameOf(reference: string): string {
	return reference.slice(reference.lastIndexOf("/") + 1);
}
