import { Link } from "@tanstack/react-router";
import type { Target } from "../../rules/admin-views.ts";
import { showHidden } from "../../rules/text.ts";

const SHOWN_DIGITS = 12;

interface TargetLinkProps {
	readonly target: Target;
	readonly id: string;
	/** Without a name, the link shows the end of the id. */
	readonly name?: string;
}

/** Links to what operators can do with a task, a submission or an agent. */
export function TargetLink({ target, id, name = "" }: TargetLinkProps) {
	const search = { view: "acts", target, id } as const;
	if (name !== "") {
		return (
			<Link to="/admin" search={search} title={id}>
				<bdi>{showHidden(name)}</bdi>
			</Link>
		);
	}
	return (
		<Link to="/admin" search={search} className="nowrap" title={id}>
			{target} <code>…{id.slice(-SHOWN_DIGITS)}</code>
		</Link>
	);
}
