import type { Child } from "hono/jsx";

/** Tells every reader what is delaying something. The console has the same component and styles. */
export function Notice({ children }: { readonly children: Child }) {
	return <div class="notice notice-warning">{children}</div>;
}
