import { useQuery } from "@tanstack/react-query";
import { samplesChart } from "../../../../src/domain/charts/bars.ts";
import { formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ChartFigure } from "../../components/ChartFigure.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Facts } from "../../components/Facts.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Table } from "../../components/Table.tsx";
import { saveFile } from "../../platform/save-file.ts";
import { evaluationsQuery } from "../../queries/received.ts";

type Evaluation = Schemas["Evaluation"];

const ROUNDS = { submission: "New files", re_evaluation: "Evaluated again", final: "Final round", review: "Changed by the owner" } as const;

/** Shows every evaluation of a submission with its samples and its signed receipt. */
export function Evaluations({ submissionId }: { readonly submissionId: string }) {
	const { data, error } = useQuery(evaluationsQuery(submissionId));
	if (data === undefined) return error === null ? <Loading label="Loading the evaluations" /> : <ErrorMessage error={error} />;
	if (data.length === 0) return <EmptyState title="No evaluation has ended yet." />;
	return (
		<div className="form">
			<p className="soft">
				The submission's scores are the medians of these evaluations, unless a final round or a review replaces them. Each evaluation has a
				signed receipt.
			</p>
			{data.map((evaluation) => (
				<OneEvaluation key={evaluation.id} evaluation={evaluation} />
			))}
			<HowToVerify />
		</div>
	);
}

function OneEvaluation({ evaluation }: { readonly evaluation: Evaluation }) {
	const { id, iteration, round, final_score, spread, judge, models, created_at } = evaluation;
	const facts = [
		["Score", formatScore(final_score)],
		["Spread", spread === null ? "unknown, with one sample per criterion" : `± ${formatScore(spread)}`],
		["Judge", [judge, ...models].join(", ")],
		["Ended", formatDateTime(created_at)],
	] as const;
	return (
		<section className="card" aria-labelledby={`evaluation-${id}`}>
			<div className="actions actions-split">
				<h2 id={`evaluation-${id}`}>
					Evaluation {iteration}: {ROUNDS[round]}
				</h2>
				<Button onPress={() => saveFile(`receipt-${id}.json`, `${JSON.stringify(evaluation, null, 2)}\n`)}>Download the receipt</Button>
			</div>
			<Facts facts={facts} />
			<Samples evaluation={evaluation} />
		</section>
	);
}

type Dimension = Schemas["EvaluationDimension"];

function Samples({ evaluation: { dimensions, samples } }: { readonly evaluation: Evaluation }) {
	if (dimensions.length === 0) return null;
	const columns = [
		{ id: "name", head: "Criterion", cell: ({ criterion_name }: Dimension) => criterion_name },
		{ id: "score", head: "Score", cell: ({ score }: Dimension) => formatScore(score), isNumber: true },
		{
			id: "samples",
			head: "Samples",
			cell: ({ criterion_name }: Dimension) => (samples[criterion_name] ?? []).map(({ score }) => formatScore(score)).join(", ") || "–",
		},
	];
	const sampled = dimensions.map(({ criterion_name: name, score }) => ({
		name,
		score,
		samples: (samples[name] ?? []).map((one) => one.score),
	}));
	const chart = samplesChart(sampled.filter((one) => one.samples.length > 1));
	return (
		<>
			{chart !== null && <ChartFigure chart={chart} />}
			<Table label="Samples by criterion" columns={columns} rows={dimensions} rowKey={({ criterion_name }) => criterion_name} />
		</>
	);
}

function HowToVerify() {
	return (
		<section className="section" aria-labelledby="verify">
			<h2 id="verify">Verify a receipt</h2>
			<p>
				Download a receipt and the platform's <a href="/.well-known/jwks.json">public keys</a>. Then run this in a checkout of the project.
				It works offline.
			</p>
			<pre className="secret">npm run -s verify -- receipt.json --keys jwks.json</pre>
			<p>
				<a href="/docs/judging/receipts">What a receipt proves</a>
			</p>
		</section>
	);
}
