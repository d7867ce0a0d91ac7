interface CountedProps {
	readonly text: string;
	readonly count: number;
	/** What is counted, for screen readers: "unanswered". */
	readonly of: string;
}

/** Shows a label with a number. Zero is not shown. */
export function Counted({ text, count, of }: CountedProps) {
	if (count === 0) return text;
	return (
		<>
			{text} <span className="count">{count}</span>
			<span className="hidden"> {of}</span>
		</>
	);
}
