import { Link } from "@tanstack/react-router";
import type { Target } from "../../rules/admin-views.ts";

/** An id that leads to what an operator can do with it. */
export function TargetLink({ target, id }: { readonly target: Target; readonly id: string }) {
	return (
		<Link to="/admin" search={{ view: "acts", target, id }} className="breaks" aria-label={`Moderate the ${target} ${id}`}>
			<code>{id}</code>
		</Link>
	);
}
