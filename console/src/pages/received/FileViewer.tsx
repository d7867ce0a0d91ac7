// Shows one file of a submission as text with numbered lines. It is a separate chunk, which is loaded with the first file.

import { useEffect, useMemo, useRef, useState } from "react";
import { formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { placeQuotes, type Quote, type Segment, segmentLine, splitLines } from "../../rules/quotes.ts";
import { showHidden } from "../../rules/text.ts";

interface FileViewerProps {
	readonly path: string;
	readonly text: string;
	readonly quotes: readonly Quote[];
	/** The scores and reasons that the quotes belong to. */
	readonly dimensions: readonly Schemas["Dimension"][];
	/** The line to scroll to, from 1. Null scrolls to the beginning. A new object scrolls again, even to the same line. */
	readonly place: { readonly line: number | null } | null;
}

/** Lines beyond this number are shown only on request, so that a file of 10 MB does not freeze the browser. */
const LINES_PER_PART = 1000;
const MAX_LINE_LENGTH = 2000;
const MAX_REASON_LENGTH = 600;

export function FileViewer({ path, text, quotes, dimensions, place }: FileViewerProps) {
	const lines = useMemo(() => splitLines(text), [text]);
	const spans = useMemo(() => placeQuotes(lines, quotes), [lines, quotes]);
	const reasons = useMemo(() => reasonsByLine(quotes), [quotes]);
	const [hasReasons, setReasons] = useState(true);
	const [asked, setAsked] = useState(LINES_PER_PART);
	const shown = Math.min(lines.length, Math.max(asked, partsUntil(place?.line ?? 0)));
	const frame = useRef<HTMLElement>(null);
	useEffect(() => {
		const line = place?.line ?? null;
		if (line !== null) frame.current?.querySelector(`[data-line="${Math.floor(line)}"]`)?.scrollIntoView({ block: "center" });
	}, [place]);
	return (
		<>
			{reasons.size > 0 && (
				<Checkbox isSelected={hasReasons} onChange={setReasons}>
					Show the judge's reasons below the lines that it quotes
				</Checkbox>
			)}
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: A region that scrolls must be reachable by keyboard. */}
			<figure ref={frame} className="code" aria-label={`Text of ${showHidden(path)}`} tabIndex={0} dir="ltr">
				{lines.slice(0, shown).map((line, index) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: A line has no identity except its number.
					<div key={index}>
						<div className="code-line" data-line={index + 1}>
							<span className="code-number" aria-hidden="true">
								{index + 1}
							</span>
							<span className="code-text">
								<Line line={line} segments={segmentLine(line.slice(0, MAX_LINE_LENGTH), cutSpans(spans.get(index + 1) ?? []))} />
							</span>
						</div>
						{hasReasons &&
							reasons.get(index + 1)?.map((reason) => <Reason key={reason.quote.criterion} {...reason} dimensions={dimensions} />)}
					</div>
				))}
			</figure>
			{shown < lines.length && (
				<div className="actions">
					<Button onPress={() => setAsked(shown + LINES_PER_PART)}>Show more lines</Button>
					<span className="soft">
						{shown} of {lines.length} lines are shown.
					</span>
				</div>
			)}
		</>
	);
}

interface ReasonOfLine {
	readonly quote: Quote;
	/** True for the first quote of a criterion in a file, which shows the whole reason. */
	readonly isFirst: boolean;
}

/** Maps the last line of each quote to the reasons that are shown after it, one for each criterion. */
function reasonsByLine(quotes: readonly Quote[]): ReadonlyMap<number, readonly ReasonOfLine[]> {
	const byLine = new Map<number, ReasonOfLine[]>();
	const seen = new Set<string>();
	for (const quote of quotes.toSorted((a, b) => a.end - b.end)) {
		const line = Math.floor(quote.end);
		const here = byLine.get(line) ?? [];
		if (here.some((reason) => reason.quote.criterion === quote.criterion)) continue;
		byLine.set(line, [...here, { quote, isFirst: !seen.has(quote.criterion) }]);
		seen.add(quote.criterion);
	}
	return byLine;
}

function Reason({ quote: { criterion }, isFirst, dimensions }: ReasonOfLine & Pick<FileViewerProps, "dimensions">) {
	const dimension = dimensions.find(({ criterion_name }) => criterion_name === criterion);
	return (
		<div className="code-reason" role="note">
			<strong>
				{showHidden(criterion)}
				{dimension !== undefined && `: ${formatScore(dimension.score)} of 100`}
			</strong>
			{isFirst && dimension !== undefined && <span>{cutText(showHidden(dimension.reasoning))}</span>}
		</div>
	);
}

function cutText(text: string): string {
	return text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH)}…` : text;
}

function partsUntil(line: number): number {
	return Math.ceil(line / LINES_PER_PART) * LINES_PER_PART;
}

function cutSpans<Span extends { readonly from: number; readonly to: number }>(spans: readonly Span[]): readonly Span[] {
	return spans
		.filter(({ from }) => from < MAX_LINE_LENGTH)
		.map((span) => (span.to > MAX_LINE_LENGTH ? { ...span, to: MAX_LINE_LENGTH } : span));
}

function Line({ line, segments }: { readonly line: string; readonly segments: readonly Segment[] }) {
	return (
		<>
			{segments.map(({ text, quotes }, index) => {
				const shown = showHidden(text);
				if (quotes.length === 0) return shown;
				return (
					// biome-ignore lint/suspicious/noArrayIndexKey: A part has no identity except its position.
					<mark key={index} className="quote" title={describeMark(quotes)}>
						{shown}
					</mark>
				);
			})}
			{line.length > MAX_LINE_LENGTH && <span className="soft"> … {line.length - MAX_LINE_LENGTH} more characters</span>}
			{line === "" && "\n"}
		</>
	);
}

function describeMark(quotes: readonly Quote[]): string {
	return quotes.map(({ criterion }) => `Quoted for ${criterion}`).join(", ");
}
