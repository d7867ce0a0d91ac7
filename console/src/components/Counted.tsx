interface CountedProps {
	readonly text: string;
	readonly count: number;
	/** Names what is counted, for screen readers: "unanswered". */
	readonly of: string;
}

/** Shows a label with a number, which is left out at zero. */
export function Counted({ text, count, of }: CountedProps) {
	if (count === 0) return text;
	return (
		<>
			{text} <span className="count">{count}</span>
			<span className="hidden"> {of}</span>
		</>
	);
}
