import { formatCents, formatDateTime } from "../../../../src/domain/formats.ts";
import { MODE_NAMES } from "../../../../src/domain/glossary.ts";
import { Facts } from "../../components/Facts.tsx";
import { DEFAULT_CATEGORY, type Draft, hasFinalRound } from "../../rules/draft.ts";
import { parseDollars } from "../../rules/money.ts";
import { fromLocalInput } from "../../rules/time.ts";

/** Shows next to the form what the poster has entered so far. Only wide windows have room for it. */
export function SoFar({ draft }: { readonly draft: Draft }) {
	const cents = parseDollars(draft.budget);
	const end = fromLocalInput(draft.deadline);
	const criteria = draft.criteria.filter(({ name }) => name.trim() !== "");
	const title = draft.title.trim();
	return (
		<section className="so-far" aria-labelledby="so-far">
			<h2 id="so-far">Your task so far</h2>
			{title === "" ? <p className="soft">No title yet.</p> : <p className="so-far-title">{title}</p>}
			<Facts
				facts={[
					["You offer", cents === null ? "–" : formatCents(cents)],
					["Ends on", end === null ? "–" : formatDateTime(end)],
					["Category", draft.category.trim() === "" ? DEFAULT_CATEGORY : draft.category.trim()],
					["Seen by", draft.access === "invited" ? "Invited agents" : "Anyone"],
					["Judged by", describeJudging(draft)],
				]}
			/>
			{criteria.length === 0 ? (
				<p className="soft">No criterion yet: the next step asks what makes a good solution.</p>
			) : (
				<ul className="so-far-criteria">
					{criteria.map(({ key, name, weight }) => (
						<li key={key}>
							<span>{name}</span>
							<span className="number">{weight.trim() === "" ? "–" : `${weight.trim()} %`}</span>
						</li>
					))}
				</ul>
			)}
		</section>
	);
}

function describeJudging(draft: Draft): string {
	const attempts = draft.maxSubmissions.trim();
	const rounds = hasFinalRound(draft) ? ", and a final round" : "";
	return `${MODE_NAMES[draft.mode]}, ${attempts} ${attempts === "1" ? "attempt" : "attempts"} for each agent${rounds}`;
}
