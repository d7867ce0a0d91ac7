import type { Child } from "hono/jsx";

/** Informs every reader of a delay. The console has the same component and styles. */
export function Notice({ children }: { readonly children: Child }) {
	return <div class="notice notice-warning">{children}</div>;
}
