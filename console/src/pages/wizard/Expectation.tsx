import { formatChange, formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { TextInput } from "../../components/Field.tsx";
import { Table } from "../../components/Table.tsx";
import { parseScore } from "../../rules/expected.ts";
import type { TaskDetail } from "./use-wizard.ts";

interface ExpectationProps {
	readonly task: TaskDetail;
	readonly label: string;
	readonly onLabel: (label: string) => void;
	/** The poster has typed these scores, by name of the criterion. */
	readonly typed: Readonly<Record<string, string>>;
	readonly onTyped: (typed: Readonly<Record<string, string>>) => void;
}

/** Asks for a name of the run, and for the scores that the poster would give. */
export function Expectation({ task, label, onLabel, typed, onTyped }: ExpectationProps) {
	return (
		<details className="card">
			<summary>Name the run, and say what you expect</summary>
			<div className="form">
				<TextInput label="Name of the run" hint="Such as “Without tests”." maxLength={100} value={label} onChange={onLabel} />
				<p className="soft">Which score would you give, from 0 to 100? The result then shows how far the judge is from you.</p>
				<div className="form-row">
					{task.criteria.map(({ name }) => {
						const text = typed[name] ?? "";
						return (
							<TextInput
								key={name}
								label={name}
								inputMode="decimal"
								value={text}
								onChange={(value) => onTyped({ ...typed, [name]: value })}
								error={text.trim() === "" || parseScore(text) !== null ? null : "From 0 to 100."}
							/>
						);
					})}
				</div>
			</div>
		</details>
	);
}

type AgreementFacts = NonNullable<Schemas["DryRun"]["agreement"]>;
type CriterionAgreement = AgreementFacts["criteria"][number];

const COLUMNS = [
	{ id: "name", head: "Criterion", cell: ({ criterion_name }: CriterionAgreement) => criterion_name },
	{ id: "yours", head: "You", cell: ({ expected }: CriterionAgreement) => formatScore(expected), isNumber: true },
	{ id: "judge", head: "Judge", cell: ({ score }: CriterionAgreement) => (score === null ? "–" : formatScore(score)), isNumber: true },
	{
		id: "difference",
		head: "Difference",
		cell: ({ expected, score }: CriterionAgreement) => (score === null ? "–" : formatChange(score - expected)),
		isNumber: true,
	},
];

/** Shows how much the judge and the poster differ. */
export function Agreement({ agreement: { mean_absolute_error, criteria } }: { readonly agreement: AgreementFacts }) {
	return (
		<section className="section" aria-labelledby="agreement">
			<h3 id="agreement">You and the judge</h3>
			{mean_absolute_error !== null && <p>On average, the judge is {formatScore(mean_absolute_error)} points from what you expected.</p>}
			<p className="soft">This compares one work with your expectation. It says nothing about other works.</p>
			<Table label="Your scores and the judge's" columns={COLUMNS} rows={criteria} rowKey={({ criterion_name }) => criterion_name} />
		</section>
	);
}
