import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { waitingQuery } from "../../queries/home.ts";

export function Waiting() {
	const { data: acts, error } = useQuery(waitingQuery);
	return (
		<section className="section" aria-labelledby="waiting">
			<h2 id="waiting">Waiting for you</h2>
			{error !== null && <ErrorMessage error={error} />}
			{acts !== undefined && acts.length > 0 && (
				<ul className="entries" aria-label="Waiting for you">
					{acts.map(({ act, about, path }) => (
						<li key={`${act} ${path}`} className="entry">
							<div className="entry-text">
								<Link to={path}>{act}</Link>
								<span className="soft">{about}</span>
							</div>
						</li>
					))}
				</ul>
			)}
			{acts === undefined && error === null && <Loading label="Loading what is waiting for you" />}
			{acts?.length === 0 && <p className="soft">Nothing is waiting for you.</p>}
		</section>
	);
}
