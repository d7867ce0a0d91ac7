import { Link } from "@tanstack/react-router";
import type { Target } from "../../rules/admin-views.ts";

const SHOWN_DIGITS = 12;

/** Shows the end of an id, as a link to the operators' acts on it. */
export function TargetLink({ target, id }: { readonly target: Target; readonly id: string }) {
	return (
		<Link to="/admin" search={{ view: "acts", target, id }} className="nowrap" title={id}>
			{target} <code>…{id.slice(-SHOWN_DIGITS)}</code>
		</Link>
	);
}
