import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { MODE_NAMES } from "../../../../src/domain/glossary.ts";
import { NAMES } from "../../api/sdk.ts";
import { Button } from "../../components/Button.tsx";
import { Choice, TextInput } from "../../components/Field.tsx";
import { type BountySearch, MAX_BUDGET } from "../../rules/bounty-search.ts";
import type { Mode } from "../../rules/draft.ts";
import { parseWhole } from "../../rules/whole-number.ts";

const ANY = "any";
const MODE_OPTIONS = [{ id: ANY, label: "Any judge" } as const, ...NAMES.EvalMode.map((id) => ({ id, label: MODE_NAMES[id] }))];

const orUndefined = (text: string): string | undefined => (text.trim() === "" ? undefined : text.trim());

/** Shows the form of the search. It searches on submit, because each search is a request. */
export function BountyFilters({ search, onSearch }: { readonly search: BountySearch; readonly onSearch: (search: BountySearch) => void }) {
	const [words, setWords] = useState(search.words ?? "");
	const [category, setCategory] = useState(search.category ?? "");
	const [mode, setMode] = useState<Mode | typeof ANY>(search.mode ?? ANY);
	const [budget, setBudget] = useState(search.budget === undefined ? "" : String(search.budget));
	const lowest = budget.trim() === "" ? undefined : parseWhole(budget, { min: 1, max: MAX_BUDGET });
	const send = (event: FormEvent) => {
		event.preventDefault();
		if (lowest === null) return;
		const filters = { mode: mode === ANY ? undefined : mode, budget: lowest };
		const shared = { words: orUndefined(words), category: orUndefined(category) };
		onSearch(shared.words === undefined ? { ...shared, ...filters } : shared);
	};
	const hasWords = words.trim() !== "";
	return (
		<Form className="form" onSubmit={send} role="search" aria-label="Search open tasks">
			<div className="form-row form-row-dense">
				<TextInput label="Words" type="search" value={words} onChange={setWords} maxLength={500} />
				<TextInput label="Category" value={category} onChange={setCategory} maxLength={100} />
				{!hasWords && <Choice label="Judge" value={mode} options={MODE_OPTIONS} onChange={setMode} />}
				{!hasWords && (
					<TextInput
						label="Budget from"
						before="$"
						inputMode="numeric"
						value={budget}
						onChange={setBudget}
						error={lowest === null ? "Whole dollars, from 1 to 10,000,000." : null}
					/>
				)}
			</div>
			<div className="actions">
				<Button type="submit" kind="primary">
					Search
				</Button>
			</div>
		</Form>
	);
}
