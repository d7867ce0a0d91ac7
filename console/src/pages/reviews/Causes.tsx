import type { ListedReview } from "../../queries/reviews.ts";
import { CAUSES } from "../../rules/reviews.ts";

export function Causes({ causes }: { readonly causes: ListedReview["causes"] }) {
	return (
		<span className="actions">
			{causes.map((cause) => (
				<span key={cause} className={cause === "injection" ? "badge badge-error" : "badge badge-warning"}>
					{CAUSES[cause]}
				</span>
			))}
		</span>
	);
}
