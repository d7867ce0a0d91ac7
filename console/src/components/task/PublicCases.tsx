import { useQuery } from "@tanstack/react-query";
import { formatCount } from "../../../../src/domain/formats.ts";
import { api } from "../../api/client.ts";
import { taskKey } from "../../queries/task.ts";
import { showHidden } from "../../rules/text.ts";
import { ErrorMessage } from "../ErrorMessage.tsx";

/** Shows the public cases of a task's test suite, and counts the hidden ones. Renders nothing without a suite. */
export function PublicCases({ taskId }: { readonly taskId: string }) {
	const { data: cases, error } = useQuery({ queryKey: [...taskKey(taskId), "public-cases"], queryFn: () => api.listPublicCases(taskId) });
	if (error !== null) return <ErrorMessage error={error} title="The test cases could not be loaded." />;
	if (cases === undefined || cases.test_case_count === 0) return null;
	const { data, test_case_count: all, public_case_count: shown } = cases;
	const hidden = all - shown;
	return (
		<section className="section" aria-label="Test cases">
			<h2>Test cases</h2>
			<p className="soft">
				{all === 1 ? "1 test case decides" : `${formatCount(all)} test cases decide`} the test score.
				{hidden > 0 && ` ${describeHidden(hidden, all)}`}
			</p>
			{data.length > 0 && (
				<ul className="cases">
					{data.map(({ name, input }) => (
						<li key={name} className="case">
							<details>
								<summary>
									<bdi>{showHidden(name)}</bdi>
								</summary>
								{/* biome-ignore lint/a11y/noNoninteractiveTabindex: A region that scrolls must be reachable by keyboard. */}
								<pre className="case-input" tabIndex={0} dir="ltr">
									{input === "" ? "(no input)" : showHidden(input)}
								</pre>
							</details>
						</li>
					))}
				</ul>
			)}
			{data.length < shown && <p className="soft">Only the first {data.length} public cases are shown.</p>}
		</section>
	);
}

function describeHidden(hidden: number, all: number): string {
	if (all === 1) return "It is hidden.";
	if (hidden === all) return "All of them are hidden.";
	return hidden === 1 ? "1 of them is hidden." : `${formatCount(hidden)} of them are hidden.`;
}
