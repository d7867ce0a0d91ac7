import { TextInput } from "../../components/Field.tsx";
import { parseScore } from "../../rules/expected.ts";
import type { TaskDetail } from "./use-wizard.ts";

interface ExpectationProps {
	readonly task: TaskDetail;
	readonly label: string;
	readonly onLabel: (label: string) => void;
	/** The scores that the poster typed, by criterion name. */
	readonly typed: Readonly<Record<string, string>>;
	readonly onTyped: (typed: Readonly<Record<string, string>>) => void;
}

/** Asks for a name for the run and for the scores that the poster would give. */
export function Expectation({ task, label, onLabel, typed, onTyped }: ExpectationProps) {
	return (
		<details className="card">
			<summary>Name the run, and say what you expect</summary>
			<div className="form">
				<TextInput label="Name of the run" hint="Such as “Without tests”." maxLength={100} value={label} onChange={onLabel} />
				<p className="soft">Which score would you give, from 0 to 100? The result then shows how far the judge is from your score.</p>
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
