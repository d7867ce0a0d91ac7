// The files that a task's poster has attached, and its public test cases.
import { formatBytes } from "../../domain/formats.ts";
import type { readPageBoard } from "./page-parts.ts";

type PageBoard = Awaited<ReturnType<typeof readPageBoard>>;

export function Attachments({ attachments }: { readonly attachments: PageBoard["attachments"] }) {
	if (attachments.length === 0) return null;
	return (
		<section aria-labelledby="files">
			<h2 id="files">Attachments</h2>
			<ul class="files">
				{attachments.map(({ filename, file_size, content_type, description, download_url }) => (
					<li>
						<a href={download_url} rel="nofollow">
							<bdi>{filename}</bdi>
						</a>{" "}
						<span class="note">
							{formatBytes(file_size)}, {content_type}
						</span>
						{description === null ? null : (
							<p class="note" dir="auto">
								{description}
							</p>
						)}
					</li>
				))}
			</ul>
		</section>
	);
}

/** Shows the public cases of a test suite. Hidden cases are only counted. */
export function PublicCases({ cases: { data, test_case_count, public_case_count } }: { readonly cases: PageBoard["cases"] }) {
	if (test_case_count === 0) return null;
	const hidden = test_case_count - public_case_count;
	return (
		<section aria-labelledby="cases">
			<h2 id="cases">Test cases</h2>
			<p class="note">
				{countCases(test_case_count)} decide the test score.
				{hidden === 0 ? "" : ` ${hidden === test_case_count ? "All" : hidden} of them are hidden.`}
			</p>
			{data.map(({ name, input }) => (
				<details class="case">
					<summary>
						<bdi>{name}</bdi>
					</summary>
					<pre class="spec" tabindex={0}>
						{input}
					</pre>
				</details>
			))}
			{data.length < public_case_count ? <p class="note">Only the first {data.length} public cases are shown.</p> : null}
		</section>
	);
}

const countCases = (count: number) => (count === 1 ? "1 test case" : `${count} test cases`);
