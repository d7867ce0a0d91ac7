// Shows the difference between two versions of a file. It is a separate chunk, which is loaded with the first difference.
import { useMemo, useState } from "react";
import { Button } from "../../components/Button.tsx";
import { countChanges, type DiffGap, type DiffLine, diffLines, foldSame } from "../../rules/diff.ts";
import { splitLines } from "../../rules/quotes.ts";
import { showHidden } from "../../rules/text.ts";

const LINES_PER_PART = 1000;
const MAX_LINE_LENGTH = 2000;
const SIGNS = { same: " ", removed: "−", added: "+" } as const;

interface DiffViewProps {
	readonly path: string;
	readonly left: string;
	readonly right: string;
}

export function DiffView({ path, left, right }: DiffViewProps) {
	const lines = useMemo(() => diffLines(splitLines(left), splitLines(right)), [left, right]);
	const [isWhole, setWhole] = useState(false);
	const [asked, setAsked] = useState(LINES_PER_PART);
	const rows = useMemo(() => (isWhole ? lines : foldSame(lines)), [isWhole, lines]);
	const { removed, added } = countChanges(lines);
	if (removed === 0 && added === 0) return <p className="soft">Every line is the same in both.</p>;
	return (
		<>
			<div className="actions actions-split">
				<p>
					{removed} {removed === 1 ? "line" : "lines"} only on the left, {added} only on the right.
				</p>
				<Button onPress={() => setWhole(!isWhole)}>{isWhole ? "Show only changes" : "Show the whole file"}</Button>
			</div>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: A region that scrolls must be reachable by keyboard. */}
			<figure className="code" aria-label={`Differences in ${showHidden(path)}`} tabIndex={0} dir="ltr">
				{rows.slice(0, asked).map((row, index) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: A line has no identity except its position.
					<Row key={index} row={row} />
				))}
			</figure>
			{asked < rows.length && (
				<div className="actions">
					<Button onPress={() => setAsked(asked + LINES_PER_PART)}>Show more lines</Button>
				</div>
			)}
		</>
	);
}

function Row({ row }: { readonly row: DiffLine | DiffGap }) {
	if (row.kind === "gap") {
		return (
			<div className="diff-gap">
				{row.lines} {row.lines === 1 ? "line is" : "lines are"} the same
			</div>
		);
	}
	const { kind, left, right } = row;
	const text = row.text.length > MAX_LINE_LENGTH ? `${row.text.slice(0, MAX_LINE_LENGTH)} …` : row.text;
	const shown = text === "" ? "\n" : showHidden(text);
	return (
		<div className={kind === "same" ? "diff-line" : `diff-line diff-${kind}`}>
			<span className="code-number" aria-hidden="true">
				{left}
			</span>
			<span className="code-number" aria-hidden="true">
				{right}
			</span>
			<span className="diff-sign" aria-hidden="true">
				{SIGNS[kind]}
			</span>
			<span className="code-text">{kind === "same" ? shown : kind === "added" ? <ins>{shown}</ins> : <del>{shown}</del>}</span>
		</div>
	);
}
