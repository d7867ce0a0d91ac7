import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button as AriaButton, FileTrigger } from "react-aria-components";
import { formatBytes } from "../../../../src/domain/formats.ts";
import { api } from "../../api/client.ts";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { taskKey } from "../../queries/task.ts";
import type { TaskDetail } from "./use-wizard.ts";

/** The test cases that the image runs with: a JSON file, which can be replaced. */
export function TestSuite({ task: { id, test_suite: suite } }: { readonly task: TaskDetail }) {
	const queries = useQueryClient();
	const upload = useMutation({
		mutationFn: (file: File) => {
			return api.uploadTestSuite(id, { file });
		},
		onSuccess: async ({ test_case_count }) => {
			await queries.invalidateQueries({ queryKey: taskKey(id) });
			showMessage(`The test suite has ${test_case_count} ${test_case_count === 1 ? "case" : "cases"}.`);
		},
	});
	return (
		<section className="card" aria-labelledby="test-suite">
			<h2 id="test-suite">Test suite</h2>
			<p className="soft">
				Optional: a JSON file with test cases. The image runs once for each. <a href="/docs/judging/container">The format</a>
			</p>
			{suite != null && (
				<p>
					{suite.test_case_count} {suite.test_case_count === 1 ? "case" : "cases"}, {suite.public_case_count} of them public,{" "}
					{formatBytes(suite.file_size)}
				</p>
			)}
			<div className="actions">
				<FileTrigger
					acceptedFileTypes={["application/json", ".json"]}
					onSelect={(files) => files?.[0] !== undefined && upload.mutate(files[0])}
				>
					<AriaButton className="button button-plain">{uploadLabel(upload.isPending, suite != null)}</AriaButton>
				</FileTrigger>
			</div>
			{upload.error !== null && <ErrorMessage error={upload.error} title="The test suite was not stored." />}
		</section>
	);
}

function uploadLabel(isPending: boolean, hasSuite: boolean): string {
	if (isPending) return "Uploading…";
	return hasSuite ? "Replace the test suite" : "Upload a test suite";
}
