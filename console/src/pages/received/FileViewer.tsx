// One file of a submission as text with numbered lines. A chunk of its own, loaded with the first file.
import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../components/Button.tsx";
import { placeQuotes, type Quote, type Segment, segmentLine, splitLines } from "../../rules/quotes.ts";
import { showHidden } from "../../rules/text.ts";

interface FileViewerProps {
	readonly path: string;
	readonly text: string;
	readonly quotes: readonly Quote[];
	/** The line to show, from 1; null for the beginning. A new object scrolls again. */
	readonly place: { readonly line: number | null } | null;
}

/** More lines than this are shown on request, so that a file of 10 MB does not stop the browser. */
const LINES_PER_PART = 1000;
const MAX_LINE_LENGTH = 2000;

export function FileViewer({ path, text, quotes, place }: FileViewerProps) {
	const lines = useMemo(() => splitLines(text), [text]);
	const spans = useMemo(() => placeQuotes(lines, quotes), [lines, quotes]);
	const [asked, setAsked] = useState(LINES_PER_PART);
	const shown = Math.min(lines.length, Math.max(asked, partsUntil(place?.line ?? 0)));
	const frame = useRef<HTMLElement>(null);
	useEffect(() => {
		const line = place?.line ?? null;
		if (line !== null) frame.current?.querySelector(`[data-line="${Math.floor(line)}"]`)?.scrollIntoView({ block: "center" });
	}, [place]);
	return (
		<>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: A region that scrolls must be reachable by keyboard. */}
			<figure ref={frame} className="code" aria-label={`Text of ${showHidden(path)}`} tabIndex={0} dir="ltr">
				{lines.slice(0, shown).map((line, index) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: A line has no identity but its number.
					<div key={index} className="code-line" data-line={index + 1}>
						<span className="code-number" aria-hidden="true">
							{index + 1}
						</span>
						<span className="code-text">
							<Line line={line} segments={segmentLine(line.slice(0, MAX_LINE_LENGTH), cutSpans(spans.get(index + 1) ?? []))} />
						</span>
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
				const isInjection = quotes.some(({ kind }) => kind === "injection");
				return (
					// biome-ignore lint/suspicious/noArrayIndexKey: A part has no identity but its place.
					<mark key={index} className={isInjection ? "quote quote-injection" : "quote"} title={describeMark(quotes)}>
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
	return quotes
		.map(({ criterion, kind }) => (kind === "evidence" ? `Quoted for ${criterion}` : `Addresses the judge (${criterion})`))
		.join(", ");
}
