import { useMutation } from "@tanstack/react-query";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import type { Draft } from "../../rules/draft.ts";
import type { ScoredWork } from "../../rules/examples.ts";
import type { Template } from "../../rules/templates.ts";
import { ExampleScores } from "./ExampleScores.tsx";
import { loadLocalJudge } from "./lint-draft.ts";

/** Judges both example submissions of a template with a draft's rubric, in this browser. */
export async function judgeExamples(template: Template, draft: Draft): Promise<{ readonly good: ScoredWork; readonly weak: ScoredWork }> {
	const { readExample } = await import("./template-examples.ts");
	const { judgeHere } = await loadLocalJudge();
	const [good, weak] = await Promise.all([
		judgeHere(draft, readExample(template.id, "good")),
		judgeHere(draft, readExample(template.id, "weak")),
	]);
	return { good, weak };
}

interface ExamplesHereProps {
	readonly template: Template;
	/** The draft with the rubric. */
	readonly draft: Draft;
}

/** Judges both example submissions of a template in this browser with one click. */
export function ExamplesHere({ template, draft }: ExamplesHereProps) {
	const judging = useMutation({
		mutationFn: () => judgeExamples(template, draft),
	});
	return (
		<section className="card" aria-labelledby={`examples-${template.id}`}>
			<h2 id={`examples-${template.id}`}>Two examples</h2>
			<p>
				The template “{template.name}” comes with {template.example}. See how this rubric tells them apart.
			</p>
			{judging.error !== null && <ErrorMessage error={judging.error} title="The examples were not judged." />}
			{judging.data !== undefined && (
				<ExampleScores {...judging.data} judge="given by a simple judge that runs in your browser and only compares words" />
			)}
			<div className="actions">
				<Button isPending={judging.isPending} onPress={() => judging.mutate()}>
					Judge both examples
				</Button>
			</div>
		</section>
	);
}
